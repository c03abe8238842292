"""Which of several words the pages of the trained models say, and the rows of their tables."""

from typing import Any

import pytest

from attention_lab.scenario import Scenario
from attention_lab.trained.cached_step import CachedStep
from attention_lab.trained.head_facts import (
    FindFacts,
)
from attention_lab.trained.language_model import N_LAYERS, language_model
from attention_lab.trained.why_word import WhyWord
from attention_lab.whose_heads import MODELS, OWN
from attention_lab.words.numbers import Case, Count, Number
from attention_lab.words.pieces import readable
from attention_viz.blocks import Button, InTheApp, Table, Text
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.story.story_view import StoryView
from attention_viz.trained.find_head_page import _copies_both_ways
from attention_viz.trained.why_word import _listed, _piece_label
from tests.viz.reading_blocks import all_of, blocks_of
from tests.viz.reading_words import numbers_said

FROG = "One day, a little frog was very sad. The"
VIEW = StoryView(Scenario(FROG))


@pytest.mark.parametrize(
    ("moves", "said"), [("more", [4, 1.5]), ("less", [4, 1.5]), ("equal", [4])]
)
def test_a_head_that_copies_is_told_both_ways(moves: str, said: list[float]) -> None:
    one = Count(1)
    facts = FindFacts(one, one, Number(4), lost=Number(1.5), moves=Case(moves))
    sentence = _copies_both_ways(facts)
    assert numbers_said(sentence) == said
    assert ("rises" in sentence.rpartition("Switched")[2]) == (moves == "less")


def test_a_piece_is_named_with_the_words_that_it_begins() -> None:
    why = WhyWord(tuple(language_model().encode(FROG)))
    piece = readable(why.before.vocabulary[why.piece])
    assert _piece_label(why, why.piece, [piece]) == piece
    assert "frog" in _piece_label(why, why.piece, ["frog"]) != piece
    assert "fish" in _piece_label(why, why.piece, ["frog", "fish", "fox"])
    assert _piece_label(why, why.piece, []) != piece


def test_three_heads_are_all_named() -> None:
    assert [_listed("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


@pytest.mark.parametrize("by", ["zero", "mean"])
def test_what_stands_in_the_place_of_a_head_is_named(by: str) -> None:
    shown = blocks_of(BLOCK_PAGES["why-this-word"], VIEW, why_off=(36,), why_by=by)
    words = [one.text for one in all_of(shown, Text)]
    told = sum("with its mean in its place" in one for one in words)
    assert told == (2 if by == "mean" else 0)  # the answer, and the question with other names


def test_a_step_is_counted_layer_by_layer() -> None:
    shown = blocks_of(BLOCK_PAGES["cache"], VIEW, ca_tokens=11)
    ids = tuple(language_model().encode(FROG))[:11]
    step = CachedStep(ids, 1)
    ways = (step.counts, step.counts_without)
    rows = {row[0].strip("*"): row[1:] for one in all_of(shown, Table) for row in one.rows}
    layers = [sum(one.of_layer.values()) for one in ways]
    assert list(rows[f"{N_LAYERS} layers"]) == [f"{5 * one:,}" for one in layers]
    assert list(rows["this step"]) == [
        f"**{5 * a + b.logits:,}**" for a, b in zip(layers, ways, strict=True)
    ]


@pytest.mark.parametrize(
    ("chosen", "offered"), [({}, False), ({"cw_old": "sad", "cw_new": "happy"}, True)]
)
def test_the_first_words_are_offered_where_others_are_shown(
    chosen: dict[str, Any], offered: bool
) -> None:
    page = BLOCK_PAGES["change-a-word"]
    _, values = page.read(VIEW, lambda one: one.default)
    first = f"{values['cw_old']} / {values['cw_new']}"
    buttons = [one.label for one in all_of(blocks_of(page, VIEW, **chosen), Button)]
    assert (first in buttons) == offered


def test_a_file_can_be_loaded_where_own_heads_are_shown_alone() -> None:
    page = BLOCK_PAGES["trained-heads"]
    for model in MODELS:
        loads = all_of(blocks_of(page, VIEW, th_model=model), InTheApp)
        assert any(one.name == "upload" for one in loads) == (model == OWN)
