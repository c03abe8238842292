"""The first cell of a sentence, and the facts of the sentence with arcs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.by_hand import SPECIAL_TOKENS, Cell, choose_example_cell
from attention_lab.column_names import HANDMADE_NAMES
from attention_lab.mask_kinds import MASKS
from attention_lab.readings import (
    LEAST_SHARE,
    answered_names,
    asked_names,
    key_read_most,
    opposite_head,
    shares_read,
)
from attention_lab.scenario import Scenario, trace_of
from attention_lab.words.text import PADDING_TOKEN

TOKENS = ("red", "tea", "we", "like")


def looking(shares: list[list[float]], tokens: tuple[str, ...] = TOKENS) -> Trace:
    """A layer whose head 0 has these shares."""
    trace = attend(np.eye(len(shares)), Projections.random(len(shares), 1)).labelled(tokens)
    return replace(trace, probabilities=np.array([[shares]]))


SHARES = [[0.7, 0.1, 0.2, 0.0], [0.1, 0.2, 0.3, 0.4], [0.6, 0.3, 0.1, 0.0], [0.1, 0.1, 0.0, 0.8]]


def test_without_a_pronoun_the_strongest_look_counts() -> None:
    assert choose_example_cell(looking(SHARES)) == Cell(0, 2, 0, 0)


def test_the_first_pronoun_comes_first() -> None:
    for place in range(4):
        tokens = tuple("It" if t == place else word for t, word in enumerate(TOKENS))
        assert choose_example_cell(looking(SHARES, tokens)).query == place
    assert choose_example_cell(looking(SHARES, ("red", "it", "she", "like"))) == Cell(0, 1, 3, 0)


def test_a_pronoun_that_sees_only_itself_has_nothing_to_tell() -> None:
    trace = trace_of(Scenario("it slept because she ran", mask="causal"))
    assert choose_example_cell(trace).query == 3


@pytest.mark.parametrize("other", SPECIAL_TOKENS)
def test_what_is_no_word_is_not_told_of(other: str) -> None:
    assert choose_example_cell(looking(SHARES, (other, "tea", "we", "like"))) == Cell(0, 1, 3, 0)
    only_one = looking(SHARES, (*[PADDING_TOKEN] * 3, "like"))
    assert choose_example_cell(only_one) == Cell(0, 2, 0, 0)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("text", ["a b", "one two three four five", "the cat saw it"])
def test_never_a_token_with_itself(text: str, mask: str) -> None:
    scenario = Scenario(text, mask=mask, window=0)
    cell = choose_example_cell(trace_of(scenario))
    assert cell.query != cell.key
    assert choose_example_cell(trace_of(replace(scenario, text="alone"))) == Cell(0, 0, 0, 0)


def test_another_head() -> None:
    trace = trace_of(Scenario("we like green tea"))
    for head in range(4):
        cell = choose_example_cell(trace, head)
        others = trace.probabilities[0, head] * (1 - np.eye(4))
        assert cell.head == head
        assert others[cell.query, cell.key] == others.max()


BY_HAND = Scenario("the cat and the box and it", weights="by hand", d_model=8, n_heads=2)


def test_every_share_of_one_percent_is_read() -> None:
    trace = trace_of(Scenario("we saw the cat and the dog", seed=3))
    for head in range(trace.sizes["H"]):
        row = trace.probabilities[0, head, 2]
        read = shares_read(trace, head, 2)
        assert sorted(key for key, _ in read) == np.flatnonzero(row >= LEAST_SHARE).tolist()
        assert [share for _, share in read] == sorted((row[key] for key, _ in read), reverse=True)


def test_the_opposite_head_differs_most() -> None:
    x = np.eye(3)
    flat, sharp = np.zeros((3, 3)), 9 * np.eye(3)
    heads = [(flat, flat, x), (flat, flat, x), (sharp, sharp, x)]
    trace = attend(x, Projections.from_heads(heads, np.vstack([x, x, x])))
    assert [opposite_head(trace, head) for head in (0, 1)] == [2, 2]
    assert opposite_head(attend(x, Projections.weightless(3)), 0) is None


def test_a_pronoun_asks_and_an_article_does_not() -> None:
    trace = trace_of(BY_HAND)
    words = trace.labels("T")
    it, cat, box = (words.index(word) for word in ("it", "cat", "box"))
    assert len(asked_names(trace, HANDMADE_NAMES, 0, it)) == 2
    assert asked_names(trace, HANDMADE_NAMES, 0, 0) == ()
    assert answered_names(trace, HANDMADE_NAMES, 0, it, cat) == ("noun", "animate")
    assert answered_names(trace, HANDMADE_NAMES, 0, it, box) == ("noun",)
    assert (key_read_most(trace, 0, it), key_read_most(trace, 0, 0)) == (cat, None)
