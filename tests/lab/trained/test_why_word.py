"""The facts of *Why this word?*: words, switches, worth, the leading part, the evidence."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.trained.evidence import FORMS, NAMES, evidence_of
from attention_lab.trained.generation import next_probabilities
from attention_lab.trained.heads_off import logits_without, written_without
from attention_lab.trained.language_model import N_LAYERS, language_model
from attention_lab.trained.why_word import WhyWord

MODEL = language_model()
FROG = tuple(MODEL.encode("One day, a little frog was very sad. The"))
F, S = (MODEL.encode(letter)[-1] for letter in ("f", "s"))
HEAD = (4, 4)
WHYS = {
    "average": WhyWord(FROG),
    "another": WhyWord(FROG, F, S),
    "alone": WhyWord(FROG, F, None),
    "off": WhyWord(FROG, off=(HEAD, (1, 1))),
    "mean": WhyWord(FROG, off=(HEAD, (2, 6)), replaced_by="mean"),
    "another head": WhyWord(FROG, S, off=(HEAD,), head=(2, 6)),
}


def explained(why: WhyWord, logits: np.ndarray) -> float:
    other = {"average": logits.mean(), None: 0.0, S: logits[S]}[why.against]
    return float(logits[why.piece] - other)


@pytest.mark.parametrize("why", WHYS.values(), ids=WHYS)
def test_the_sum_is_that_of_the_model_with_the_head_in_focus(why: WhyWord) -> None:
    off = [head for head in why.off if head != why.focus]
    run = MODEL.run(FROG, without=off, replaced_by=why.replaced_by)
    expected = explained(why, run.logits[-1])
    assert why.total == pytest.approx(expected, abs=1e-10)
    assert sum(why.kinds) == pytest.approx(expected, abs=1e-10)
    without = MODEL.run(FROG, without=[*off, why.focus], replaced_by=why.replaced_by)
    lost = expected - explained(why, without.logits[-1])
    assert why.loss.total == pytest.approx(lost, abs=1e-10)
    added = sum(value for _, value, _ in why.sources)
    assert added == pytest.approx(why.parts["head", *why.focus], abs=1e-10)
    assert sum(share for _, _, share in why.sources) == pytest.approx(1)


@pytest.mark.parametrize("why", WHYS.values(), ids=WHYS)
@pytest.mark.parametrize("head", [(0, 0), (2, 6), HEAD, (1, 1)])
def test_a_head_is_worth_what_its_switch_changes(why: WhyWord, head: tuple[int, int]) -> None:
    rest = [one for one in why.off if one != head]
    runs = (
        MODEL.run(FROG, without=off, replaced_by=why.replaced_by) for off in (rest, [*rest, head])
    )
    with_it, without = (explained(why, run.logits[-1]) for run in runs)
    assert why.losses[head] == pytest.approx(with_it - without, abs=1e-10)


@pytest.mark.parametrize("by", ["zero", "mean"])
def test_heads_are_switched_off_as_one_by_one(by: str) -> None:
    for head in ((0, 7), (3, 1), (4, 0)):
        alone = MODEL.run(FROG, without=[(1, 1), head], replaced_by=by).logits[-1]
        found = logits_without(FROG, ((1, 1),), by)
        np.testing.assert_allclose(found[head], alone, atol=1e-11)
        one = MODEL.run(FROG, without=[(1, 1)], replaced_by=by).logits[-1]
        np.testing.assert_allclose(found[1, 1], one, atol=1e-11)  # it is off already


def test_the_story_of_the_frog() -> None:
    why = WhyWord(FROG, off=(HEAD,))
    assert (why.word, why.focus, why.most_read[0]) == ("frog", HEAD, "frog")
    assert [round(share, 3) for share in (*why.shares, why.most_read[1])] == [0.767, 0.077, 0.871]
    assert [row.word for row in why.rows[:4]] == ["cat", "frog", "dog", "boy"]
    before, after = why.written
    assert before.startswith("frog was very")
    assert after.startswith("cat was very")
    runs = MODEL.run(FROG), MODEL.run(FROG, without=[HEAD])
    for row in why.rows:
        shares = [run.word_shares([row.word])[row.word] for run in runs]
        assert [row.before, row.after] == pytest.approx(shares, abs=1e-9)
    assert why.rest[1] == pytest.approx(1 - sum(row.after for row in why.rows))
    repaired = -why.loss.response / why.loss.direct
    assert why.repaired == pytest.approx(repaired)
    assert round(repaired, 3) == 0.587
    assert why.turned_by == ""


def test_ten_words_are_written() -> None:
    words = written_without(FROG).split()
    assert len(words) == 10
    assert len(written_without(FROG, (HEAD,)).split()) == 10
    assert written_without(tuple(MODEL.encode("I want to play with you"))).startswith("your ")


def test_a_named_word_has_its_own_probability() -> None:
    fruit = WhyWord(FROG, F, named="fruit")
    assert (fruit.word, fruit.piece) == ("fruit", F)
    assert fruit.shares[0] == pytest.approx(dict(MODEL.run(FROG).next_words(10))["fruit"])
    assert WhyWord(FROG, S, named="fruit").word != "fruit"  # it does not begin so


def test_what_turned_the_sign_is_named() -> None:
    """Of all heads: the one that alone gives the loss its sign, or both together."""
    seen = set()
    for layer, head in np.ndindex(N_LAYERS, 8):
        why = WhyWord(FROG, F, head=(layer, head))
        direct, response, norm = why.loss
        turned = direct * (direct + response + norm) < 0
        assert bool(why.turned_by) == turned
        if why.turned_by == "response":
            assert direct * (direct + response) < 0 <= direct * (direct + norm)
        if why.turned_by == "norm":
            assert direct * (direct + norm) < 0 <= direct * (direct + response)
        assert why.repaired == (-response / direct if direct * response < 0 else 0)
        seen.add(why.turned_by)
    assert {"", "response"} <= seen


def test_the_leading_part_follows_the_sign() -> None:
    why = WhyWord(FROG)
    assert why.leading == (("head", 4, 4), max(why.parts.values()))
    assert len(why.ranked) == 46
    least = int(MODEL.run(FROG).logits[-1].argmin())
    below = WhyWord(FROG, least, head=HEAD)
    assert below.total < 0
    assert below.ranked[0][1] == min(below.parts.values())
    even = WhyWord(tuple(MODEL.encode("I want to play with you")), head=HEAD)
    first, second = (value for _, value in even.ranked[:2])
    assert even.leading is None
    assert first < 1.25 * second


def test_after_the_last_layer_stand_the_shares_of_the_model() -> None:
    why = WhyWord(FROG, F)
    np.testing.assert_allclose(why.shares_after(N_LAYERS - 1), MODEL.run(FROG).probabilities())
    decoder = MODEL.decoder
    first = next_probabilities(decoder.logits(decoder.embedding[list(FROG[-1:])])[0])
    np.testing.assert_allclose(why.shares_after(-1), first)


@pytest.mark.parametrize("form", range(len(FORMS)))
@pytest.mark.parametrize("by", ["zero", "mean"])
def test_the_evidence_is_that_of_runs_one_by_one(form: int, by: str) -> None:
    found = evidence_of(HEAD, form, by)
    for place in (0, 17, 39):
        text, name = FORMS[form].format(NAMES[place], NAMES[place]), NAMES[place]
        for shares, off in ((found.before, []), (found.after, [HEAD])):
            ids, share = MODEL.encode(text), 1.0
            for one in MODEL.encode(name)[1:]:
                run = MODEL.run(ids, without=off, replaced_by=by)
                share *= run.probabilities()[one]
                ids = [*ids, one]
            last = MODEL.run(ids, without=off, replaced_by=by).probabilities()
            letters = [n for n, piece in enumerate(MODEL.tokenizer.pieces) if piece.isalpha()]
            assert shares[place] == pytest.approx(share * (1 - last[letters].sum()), abs=1e-12)


def test_the_frog_is_one_of_forty() -> None:
    assert len(set(NAMES)) == 40
    assert {len(MODEL.encode(name)) for name in NAMES} == {5}
    found = evidence_of(HEAD)
    assert found.n_mattering == 25
    assert round(found.median, 3) == 0.422
    assert found.rank("frog") == 5
    assert found.extremes == ("otter", "teddy")
    assert found.left[0] == pytest.approx(0.0773 / 0.7675, abs=1e-3)


@pytest.mark.parametrize("text", ["It was", "And then", "The cat sat"])
def test_a_word_of_one_letter_and_a_mark_alone_have_their_shares(text: str) -> None:
    """A byte writes the letter “a” as well; a mark needs no word beside it."""
    run = MODEL.run(MODEL.encode(text))
    for word, share in run.next_words(20):
        assert run.word_shares([word])[word] == pytest.approx(share, abs=1e-9)
    full_stop = MODEL.tokenizer.pieces.index(".")
    assert run.word_shares(["."])["."] >= run.probabilities()[full_stop]


def test_every_piece_can_be_asked_for() -> None:
    pieces = MODEL.tokenizer.pieces
    for piece in ("<0x41>", "e", " t", "</s>", "”"):
        before, after = WhyWord(FROG, pieces.index(piece)).shares
        assert 0 <= before == after < 0.01
