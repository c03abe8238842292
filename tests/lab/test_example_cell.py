"""The first cell of a sentence: a pronoun, or the largest share of another token."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.choices import MASK_KINDS
from attention_lab.example_cell import SPECIAL_TOKENS, Cell, choose_example_cell
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
    assert choose_example_cell(
        looking(SHARES, (PADDING_TOKEN, PADDING_TOKEN, PADDING_TOKEN, "like"))
    ) == Cell(0, 2, 0, 0)


@pytest.mark.parametrize("mask", MASK_KINDS)
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
