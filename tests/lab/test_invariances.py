"""Changes that the output does not show, and others: each keeps or changes the numbers as its
record says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, Trace, attend
from attention_lab.heads.reruns import permutation_gaps, rerun, run_gaps
from attention_lab.masks.invariances import (
    LAYER_CHANGES,
    LayerChange,
    shuffled_order,
    with_key_bias,
    with_query_bias,
)
from attention_lab.words.embeddings import sinusoidal_positions
from tests.core.random_layers import Layer, assert_same, calls

N, D = 13, 8
ORDER = shuffled_order(N)
WORDS = np.random.default_rng(6).normal(size=(N, D))
every_change = pytest.mark.parametrize("change", LAYER_CHANGES, ids=lambda change: change.key)


def layer(**options: Any) -> Trace:
    """Self-attention of two heads with all biases."""
    return attend(WORDS, Projections.random(D, 2, bias=True), **options)


@pytest.mark.parametrize(
    "options", [{}, {"causal": True, "residual": True}, {"mask": np.tri(N, k=-1, dtype=bool).T}]
)
@every_change
def test_changes_do_what_they_say(change: LayerChange, options: dict[str, Any]) -> None:
    before = layer(**options)
    for seed in (0, 1):
        found = run_gaps(before, change.apply(before, seed))
        if change.keeps_output:
            assert max(found.probabilities, found.output) < 1e-12
        else:
            assert min(found.probabilities, found.output) > 0.01


@settings(max_examples=25)
@given(calls())
def test_invariances_hold_for_any_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    before = layer.run(**{name: value for name, value in options.items() if name != "softcap"})
    for change in LAYER_CHANGES:
        if change.keeps_output:
            after = change.apply(before, 3)
            assert_same(after.probabilities, before.probabilities, 1e-11)
            assert_same(after.output, before.output, 1e-11)


@every_change
def test_a_change_changes_something(change: LayerChange) -> None:
    before = layer()
    first, again, other = (change.apply(before, seed) for seed in (0, 0, 1))
    fields = ("queries", "keys", "values", "scaled_scores", "masked_scores")
    assert any(np.abs(getattr(first, name) - getattr(before, name)).max() > 0.01 for name in fields)
    assert (first.masked_scores == again.masked_scores).all()
    if change.key != "temperature":
        assert any((getattr(first, name) != getattr(other, name)).any() for name in fields)


def test_a_key_bias_adds_one_number_to_each_row() -> None:
    plain = attend(WORDS, Projections.random(D, 2))
    vector = np.arange(1.0, D + 1)
    by_key = (
        rerun(plain, projections=with_key_bias(plain.projections, vector)).scores - plain.scores
    )
    by_query = (
        rerun(plain, projections=with_query_bias(plain.projections, vector)).scores - plain.scores
    )
    for head in range(2):
        part = vector[4 * head : 4 * head + 4]
        row, column = plain.query_heads[0, head] @ part, plain.key_heads[0, head] @ part
        assert_same(by_key[0, head], np.repeat(row[:, np.newaxis], N, axis=1))
        assert_same(by_query[0, head], np.repeat(column[np.newaxis], N, axis=0))


def test_biases_are_added_to_biases() -> None:
    p = Projections.random(4, 2, bias=True)
    assert_same(with_query_bias(p, np.ones(4)).b_q, p.b_q + 1)
    assert_same(with_key_bias(p, np.ones(4)).b_k, p.b_k + 1)


def test_shuffled_tokens_shuffle_the_output() -> None:
    straight = layer()
    found = permutation_gaps(straight, rerun(straight, x=WORDS[list(ORDER)]), ORDER)
    assert max(found.probabilities, found.output) < 1e-14


def test_positions_show_the_order() -> None:
    codes = sinusoidal_positions(N, D)
    straight = rerun(layer(), x=WORDS + codes)
    found = permutation_gaps(straight, rerun(straight, x=WORDS[list(ORDER)] + codes), ORDER)
    assert min(found.probabilities, found.output) > 0.1


def test_a_causal_mask_shows_the_order() -> None:
    straight = layer(causal=True)
    found = permutation_gaps(straight, rerun(straight, x=WORDS[list(ORDER)]), ORDER)
    assert min(found.probabilities, found.output) > 0.1


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_no_token_stays_in_place(n_tokens: int, seed: int) -> None:
    order = shuffled_order(n_tokens, seed)
    assert sorted(order) == list(range(n_tokens))
    assert n_tokens == 1 or all(token != place for place, token in enumerate(order))


def test_every_change_explains_itself() -> None:
    assert len({change.key for change in LAYER_CHANGES}) == len(LAYER_CHANGES)
    assert all(change.formula and change.description.endswith(".") for change in LAYER_CHANGES)
