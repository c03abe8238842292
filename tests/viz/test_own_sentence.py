"""Thirty sentences of several kinds: each is met with a line that is true of it, checked against a
softmax of our own on the list of words; and the same word in three heads.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core.errors import TextError
from attention_lab.by_hand import WORD_FEATURES, part_of_speech
from attention_lab.choices import readable, resolve
from attention_lab.focus import Focus
from attention_lab.presets import cell_worth_a_look, presets
from attention_lab.same_word import ENCODER, HAND, LANGUAGE, places_of, readers_of, words_of
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import tokens_of
from attention_lab.url_choices import UrlChoices
from attention_viz.blocks import Button, Chart, Folded, Row
from attention_viz.story.same_word import MOST_WORDS, same_word_blocks
from attention_viz.story.stages import stage_of
from attention_viz.story.story_view import StoryView, view_of

LONG = (
    "Once upon a time a grandmother lived near a wide river . The water was cold and the boats were"
    " old . Every morning the children of the village ran down to the bank with baskets full of"
    " bread . They shouted and laughed and threw stones into the water until the sun was high above"
    " the river and then she called ."
)
SENTENCES = (
    "The trophy did not fit in the suitcase because it was too big",
    "the cat saw the box and it ran",
    "The dog bit the man because he ran",
    "Alice gave Bob a book and she smiled",
    "They ate the apples and they slept",
    "you and I like it",
    "Why is it so hot ?",
    "Where did the king put his crown and why did he cry ?",
    "Hello",
    "it",
    "cat",
    "running",
    "the bird sat on the box and it sang",
    "it is what it is",
    "to be or not to be",
    "cat cat cat it",
    "the the the the",
    "dog dog it it",
    LONG,
    "她 说 它",
    "Кошка видела коробку и она убежала",
    "שלום עולם",
    "pies widzi kota i on biegnie",
    "1 2 3 4",
    "the 3 cats ate 12 fish and they slept",
    "... ! ?",
    "wait , what ? it ran !",
    "😀 😀 🎉",
    "the cat 😀 and it ran",
    "zorp blick frob and it glimmed",
)
READABLE = Scenario(d_model=8, n_heads=2, weights=HAND)


def scores_by_the_list(words: tuple[str, ...], query: int) -> list[float]:
    """The scaled scores of head 0, from the words of the list alone: a pronoun gives a noun 5 and
    what lives 2 more, a verb 1.5 for each.
    """
    kinds = [part_of_speech(word) for word in words]
    asks = {"pronoun": (5.0, 2.0), "verb": (1.5, 1.5)}
    noun = sum(asks[kind][0] for kind in kinds[query] if kind in asks)
    animate = sum(asks[kind][1] for kind in kinds[query] if kind in asks)
    return [noun * ("noun" in kind) + animate * ("animate" in kind) for kind in kinds]


def opened(text: str) -> StoryView:
    """The view of a sentence with the weights by hand, at the cell that is shown first."""
    scenario = replace(READABLE, text=text)
    view = view_of(UrlChoices(scenario))
    return replace(view, focus=Focus(*cell_worth_a_look(view.scenario)).inside(view.trace))


def said(view: StoryView) -> str:
    """The notes of the first page, and what it says is seen."""
    stage = stage_of(view, "overview")["stage"]
    return " ".join([*(note["text"] for note in stage["notes"]), stage["reasons"]["now"]])


@pytest.mark.parametrize("text", SENTENCES)
def test_each_sentence_gets_a_line_that_is_true_of_it(text: str) -> None:
    view, words = opened(text), words_of(text)
    line = said(view)
    can_ask = any({"pronoun", "verb"} & {*part_of_speech(word)} for word in words)
    can_answer = any({"noun", "animate"} & {*part_of_speech(word)} for word in words)
    assert (view.scenario.weights == LANGUAGE) == (not (can_ask and can_answer))
    if not (can_ask and can_answer):
        assert ("no word asks" in line, "no word answers" in line) == (not can_ask, can_ask)
        return
    query = view.focus.query
    scores = scores_by_the_list(words, query)
    share = math.exp(max(scores)) / sum(map(math.exp, scores))
    most = [place for place, score in enumerate(scores) if score == max(scores)]
    assert f"“{words[query]}”" in line
    if max(scores) == 0:
        assert "asks for nothing" in line or "answers" in line
        return
    assert f"{100 * share:.1f} %" in line
    assert ("cannot tell them apart" in line) == (len(most) > 1)
    quoted = re.findall("“(.+?)”", line)
    assert all(words[place] in quoted for place in most[:4])


def test_there_are_sentences_of_each_kind() -> None:
    assert len(SENTENCES) == len(set(SENTENCES)) == 30
    views = [opened(text) for text in SENTENCES]
    ties = [view for view in views if "cannot tell" in said(view)]
    replaced = [view for view in views if view.scenario.weights == LANGUAGE]
    assert len(ties) >= 5
    assert len(replaced) >= 8
    assert len(views) - len(ties) - len(replaced) >= 5
    assert len(words_of(LONG)) > 60
    assert all(word in WORD_FEATURES for word in ("trophy", "suitcase"))


def test_other_sizes_lead_back_to_the_readable_example() -> None:
    for width, heads, back in ((9, 3, (8, 2)), (8, 1, (8, 2)), (12, 4, (12, 3)), (64, 8, (12, 3))):
        view = view_of(UrlChoices(Scenario("we saw it", d_model=width, n_heads=heads)))
        chosen = replace(view.scenario, weights=HAND, d_k=4)
        notes = stage_of(replace(view, scenario=chosen, chosen=chosen), "scores")["stage"]["notes"]
        acts = [(note["act"], note["value"]) for note in notes]
        assert ("weights", HAND) in acts
        there = replace(chosen, **readable(chosen))
        assert (there.d_model, there.n_heads, there.text) == (*back, "we saw it")
        assert resolve(there).handmade


def test_three_heads_read_the_same_word() -> None:
    text = "The trophy did not fit in the suitcase because it was too big"
    words = words_of(text)
    by_hand, writing, encoder = readers_of(text, words.index("it"))
    assert (by_hand.kind, writing.kind, encoder.kind) == (HAND, LANGUAGE, ENCODER)
    assert [words[place] for place in by_hand.most] == ["trophy", "suitcase"]
    assert [words[place] for place in encoder.most] == ["trophy"]
    for one in (by_hand, writing, encoder):
        assert one.shares is not None
        row_S = trace_of(one.scenario).probabilities[0, one.head, one.query]
        assert float(one.shares.sum()) + one.rest == pytest.approx(float(row_S.sum()))
        assert len(one.shares) == len(words)
    spelt = readers_of(text, words.index("suitcase"))[1]
    assert trace_of(spelt.scenario).labels("T")[spelt.query] == "se"  # the last piece asks
    assert writing.shares is not None
    assert writing.shares[words.index("was") :] == pytest.approx(0)  # it sees no later word


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("weights", [LANGUAGE, ENCODER])
def test_pieces_make_up_the_words(text: str, weights: str) -> None:
    pieces, words = tokens_of(Scenario(text, weights=weights)).tokens, words_of(text)
    places = places_of(pieces, words)
    found = [place for place in places if place is not None]
    assert found == sorted(found)
    if len(pieces) < 64:
        assert {*found} == {*range(len(words))}
    with pytest.raises(TextError):
        places_of([*pieces, "x"] if len(pieces) < 64 else ["y", *pieces], words)


def test_the_comparison_opens_each_head_and_says_what_it_leaves_out() -> None:
    (folded,) = same_word_blocks(opened(SENTENCES[0]))
    assert isinstance(folded, Folded)
    assert folded.opened
    (chart,) = (one for one in folded.inside if isinstance(one, Chart))
    assert [len(one["x"]) for one in chart.figure["data"]] == [13, 13, 13]
    (row,) = (one for one in folded.inside if isinstance(one, Row))
    buttons = [one for one in row.items if isinstance(one, Button)]
    assert [one.sets["weights"] for one in buttons] == [HAND, LANGUAGE, ENCODER]
    for button in buttons:
        sets = dict(button.sets)
        head, query = sets.pop("head"), sets.pop("query")
        trace = trace_of(replace(Scenario(SENTENCES[0]), **sets))
        label = trace.labels("T")[query].strip()
        assert (label, 0 <= head < trace.sizes["H"]) == ("it", True)
    first = presets()[0]
    view = replace(view_of(UrlChoices(first.scenario)), focus=Focus(0, 8, 1, 0))
    (unopened,) = same_word_blocks(view)
    assert isinstance(unopened, Folded)
    assert not unopened.opened


def test_of_a_long_sentence_the_words_with_the_largest_shares_are_drawn() -> None:
    words = words_of(LONG)
    view = opened(LONG)
    she = words.index("she")
    view = replace(view, focus=Focus(0, she, 0, 0))
    (folded,) = same_word_blocks(view)
    assert isinstance(folded, Folded)
    (chart,) = (one for one in folded.inside if isinstance(one, Chart))
    drawn = chart.figure["data"][0]["customdata"]
    assert len(drawn) == MOST_WORDS < len(words)
    readers = readers_of(LONG, she)
    for one in readers:
        if one.shares is not None:
            assert words[int(np.argmax(one.shares))] in drawn


def test_a_model_that_hides_later_tokens_has_a_mask() -> None:
    """Only where nothing is hidden does the step say that it shows what a mask would hide."""
    for scenario, lacks in ((Scenario(weights=LANGUAGE, layer=4), False), (Scenario(), True)):
        view = view_of(UrlChoices(scenario))
        notes = stage_of(view, "mask")["stage"]["notes"]
        assert any(note.get("act") == "mask" for note in notes) == lacks
        assert view.trace.hidden.any() == (not lacks)


@pytest.mark.parametrize("text", ["", "   "])
def test_without_a_word_the_language_model_reads_its_start(text: str) -> None:
    view = view_of(UrlChoices(Scenario(text, weights=LANGUAGE, layer=4)))
    assert view.trace.labels("T")[0] == "<s>"
    assert same_word_blocks(view) == []
    for path in ("overview", "scores", "next-token"):
        assert stage_of(view, path)["panels"]
