"""What each head adds to the output, what is left without it, and which changes of its weights
change nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, SettingsError, attend
from attention_lab.heads.head_worth import (
    ablated_output,
    extremes,
    norm_shares,
    ranking,
    signed_shares,
    token_changes,
    without_heads,
)
from attention_lab.heads.reruns import rerun
from attention_lab.heads.weight_blocks import (
    absorbed_contributions,
    absorbed_size,
    head_contributions,
    output_gap,
)
from attention_lab.masks.invariances import random_basis_change, with_basis_change
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.refusal import refused


@settings(max_examples=40)
@given(calls())
def test_contributions_of_the_heads_add_up(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    rest = trace.projections.b_o + (trace.inputs if trace.residual else 0)
    assert_same(head_contributions(trace).sum(axis=1) + rest, trace.output)
    assert output_gap(trace) <= 1e-12 * max(1.0, float(np.abs(trace.output).max()))


@settings(max_examples=40)
@given(calls())
def test_contributions_with_w_o_inside_the_values(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    assert_same(absorbed_contributions(trace), head_contributions(trace), 1e-12)
    assert output_gap(trace, absorbed_contributions) <= 1e-12 * max(
        1.0, float(np.abs(trace.output).max())
    )


@pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "d_v", "compared"),
    [
        (1, 1, 4, "fewer"),  # 16 + 16 against 16
        (2, 2, 2, "as many"),  # 16 + 16 against 32
        (4, 4, 1, "more"),  # 16 + 16 against 64
        (3, 3, 4, "fewer"),  # values as wide as the input, as in the MQL5 book: 48 + 48 against 48
        (4, 2, 3, "fewer"),  # 24 + 48 against 64
        (4, 1, 2, "more"),  # 8 + 32 against 64
    ],
)
def test_the_size_of_heads_with_w_o_inside_the_values(
    n_heads: int, n_kv_heads: int, d_v: int, compared: str
) -> None:
    """Counted from matrices that are written down head by head."""
    weights = Projections.random(4, n_heads, d_v=d_v, n_kv_heads=n_kv_heads)
    stored = absorbed_size(attend(np.eye(4), weights))
    values = [weights.w_v[:, g * d_v : (g + 1) * d_v] for g in range(n_kv_heads)]
    rows = [weights.w_o[h * d_v : (h + 1) * d_v] for h in range(n_heads)]
    products = [values[h * n_kv_heads // n_heads] @ rows[h] for h in range(n_heads)]
    assert stored.apart == sum(part.size for part in (*values, *rows))
    assert stored.products == sum(part.size for part in products)
    assert stored.compared == compared


X = np.random.default_rng(8).normal(size=(2, 5, 7))
FOUR = attend(X, Projections.random(7, 4, d_k=3, d_v=2, bias=True), residual=True)


@settings(max_examples=40)
@given(calls())
def test_one_head_off_takes_its_contribution_away(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    head = int(layer.rng.integers(trace.sizes["H"]))
    assert_same(trace.output - ablated_output(trace, [head]), head_contributions(trace)[:, head])
    assert_same(ablated_output(trace, []), trace.output)


@settings(max_examples=40)
@given(calls())
def test_ablation_is_the_layer_with_zeros_in_w_o(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    off = {int(head) for head in layer.rng.integers(trace.sizes["H"], size=2)}
    again = rerun(trace, projections=without_heads(trace.projections, off))
    assert_same(again.output, ablated_output(trace, off))
    assert (again.probabilities == trace.probabilities).all()


def test_joined_heads_are_switched_off_too() -> None:
    trace = attend(X[0, :, :6], Projections.weightless(6, 3))
    columns = np.arange(6) // 2 == 1
    for output in (
        ablated_output(trace, [1]),
        rerun(trace, projections=without_heads(trace.projections, [1])).output,
    ):
        assert not output[..., columns].any()
        assert_same(output[..., ~columns], trace.output[..., ~columns])


def test_a_head_that_is_off_adds_no_nan() -> None:
    trace = attend(
        X, FOUR.projections, mask=np.arange(4)[:, np.newaxis, np.newaxis] > 0, empty_rows="nan"
    )
    assert np.isnan(trace.output).all()
    assert np.isnan(ablated_output(trace, [1])).all()
    assert_same(ablated_output(trace, [0]), ablated_output(rerun(trace, empty_rows="zero"), [0]))


@settings(max_examples=40)
@given(calls())
def test_signed_shares_sum_to_one(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    shares = signed_shares(trace)
    silent = trace.empty_rows.all(axis=(1, 2))
    assert np.isnan(shares[silent]).all()
    # Rounding grows as the shares do, when heads cancel.
    error = np.abs(shares[~silent].sum(axis=1) - 1) / np.abs(shares[~silent]).sum(axis=1)
    assert (error < 1e-12).all()


def test_shares_by_hand() -> None:
    trace = attend([[3.0, 1.0]], Projections.weightless(2, n_heads=2))
    assert_same(signed_shares(trace), [[0.9, 0.1]])
    assert_same(norm_shares(trace), np.array([[3.0, 1.0]]) / np.sqrt(10))


def test_a_head_may_pull_against_the_output() -> None:
    weights = Projections(np.eye(2), np.eye(2), np.eye(2), [[1.0], [-1.0]], n_heads=2)
    trace = attend([[3.0, 1.0]], weights)
    assert_same(signed_shares(trace), [[1.5, -0.5]])
    assert_same(norm_shares(trace), [[1.5, 0.5]])


def test_norm_shares_are_the_change_under_ablation() -> None:
    added = FOUR.output - ablated_output(FOUR, range(4))
    for head in range(4):
        moved = FOUR.output - ablated_output(FOUR, [head])
        expected = np.linalg.norm(moved, axis=(1, 2)) / np.linalg.norm(added, axis=(1, 2))
        assert_same(norm_shares(FOUR)[:, head], expected)
        assert_same(token_changes(FOUR)[:, head], np.linalg.norm(moved, axis=-1))
    assert (norm_shares(FOUR).sum(axis=1) > 1.5).all()


@pytest.mark.parametrize(
    ("dtype", "size"), [("f4", 1e-22), ("f4", 1e22), ("f8", 1e-170), ("f8", 1e155), ("f8", 1e300)]
)
def test_shares_do_not_depend_on_size(dtype: str, size: float) -> None:
    usual = FOUR.projections
    p = replace(usual, w_o=size * usual.w_o).astype(dtype)
    trace = attend(np.stack([X[0], 1e-9 * X[1]]).astype(dtype), p)
    rel = 1e-12 if dtype == "f8" else 1e-4
    expected = attend(np.stack([X[0], 1e-9 * X[1]]), usual)
    assert signed_shares(trace) == pytest.approx(signed_shares(expected), rel=rel)
    assert norm_shares(trace) == pytest.approx(norm_shares(expected), rel=rel)
    assert token_changes(trace) / size == pytest.approx(token_changes(expected), rel=rel)


def test_a_change_beyond_the_range_of_float_is_refused() -> None:
    with refused(SettingsError, "float32"):
        token_changes(
            attend(
                np.full((1, 2), 3e38, np.float32),
                Projections.weightless(2).astype("f4"),
                scale=1e-39,
            )
        )
    empty = attend(X, FOUR.projections, mask=np.zeros((5, 5), bool), empty_rows="nan")
    assert all(
        np.isnan(measure(empty)).all() for measure in (signed_shares, norm_shares, token_changes)
    )


def test_the_ranking() -> None:
    assert ranking(np.array([0.1, np.nan, 0.7, 0.7])) == (2, 3, 0, 1)
    assert ranking(np.tile([0.0, 1.0], 30))[:30] == tuple(range(1, 60, 2))
    order = ranking(norm_shares(FOUR)[0])
    assert (np.diff(norm_shares(FOUR)[0][list(order)]) <= 0).all()


# W_Q R is up to 2 times as large and R⁻ᵀ W_K as well, so that rounding grows by a factor of 4.
TOLERANCE = 1e-11


@settings(max_examples=40)
@given(calls(modern=False))
def test_the_layer_stays_the_same(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    other = rerun(
        trace,
        projections=with_basis_change(
            trace.projections, random_basis_change(trace.projections, seed=3)
        ),
    )
    for field in ("scores", "probabilities", "output"):
        assert_same(getattr(other, field), getattr(trace, field), TOLERANCE)
    for field in ("w_q", "w_k", "w_v", "w_o"):
        assert (getattr(other.projections, field) != getattr(trace.projections, field)).any()


def test_weights_that_are_not_there() -> None:
    p = Projections.weightless(6, 3)
    x = np.random.default_rng(5).normal(size=(4, 6))
    changed = with_basis_change(p, random_basis_change(p))
    assert changed.w_o is not None
    assert_same(attend(x, changed).output, attend(x, p).output)


@pytest.mark.parametrize(
    ("worth", "most", "least"),
    [
        ([0.5], (0,), (0,)),
        ([0.5, 0.2, 0.3], (0,), (1,)),
        ([0.5, 0.2, 0.5], (0, 2), (1,)),
        ([0.1 + 0.2, 0.3, 0.9], (2,), (0, 1)),
        ([0.0, 0.0], (0, 1), (0, 1)),
    ],
)
def test_heads_that_tie_are_all_named(
    worth: list[float], most: tuple[int, ...], least: tuple[int, ...]
) -> None:
    found = extremes(np.array(worth))
    assert (found.most, found.least) == (most, least)
    assert found.are_equal == (len(set(most) & set(least)) == len(worth))
