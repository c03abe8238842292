"""Steps taken apart: the pieces add up to the step, and the classic mistakes differ from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attention_core import (
    Projections,
    SettingsError,
    Trace,
    attend,
    merge_heads,
    softmax,
    split_heads,
)
from attention_lab.diagonal.half_planes import half_plane_of
from attention_lab.diagonal.measures import square_of
from attention_lab.diagonal.proposition_tokens import tokens_of_trace
from attention_lab.heads.contributions import head_contributions
from attention_lab.heads.head_worth import has_shares
from attention_lab.heads.keys_read import keys_read_most, strongest_keys
from attention_lab.heads.layout_mistakes import merge_without_swap, moved_cells, split_without_swap
from attention_lab.heads.scale_effect import scale_effect, unmasked_shares
from attention_lab.heads.weight_blocks import features_read, gives_back, head_slice
from tests.core.random_layers import Layer, assert_same, calls, layers
from tests.lab.refusal import refused

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3


def a_trace(**options: Any) -> Trace:
    """Cross-attention with shared heads, every axis another prime (but heads, shared in pairs)."""
    rng = np.random.default_rng(5)
    weights = Projections.random(D, H, n_kv_heads=G, d_k=K, d_v=V, d_memory=M, bias=True)
    return attend(rng.normal(size=(B, T, D)), weights, memory=rng.normal(size=(B, S, M)), **options)


@given(calls())
def test_contributions_of_the_heads_add_up(call: tuple[Layer, dict[str, Any]]) -> None:
    """The output is the sum of one contribution per head, plus the bias, plus the inputs where
    they are added.
    """
    layer, options = call
    trace = layer.run(**options)
    rest = trace.projections.b_o + (trace.inputs if trace.residual else 0)
    assert_same(head_contributions(trace).sum(axis=1) + rest, trace.output)


def test_contributions_without_w_o() -> None:
    """Heads that are only joined fill their own columns and leave the others at 0."""
    trace = attend(np.random.default_rng(0).normal(size=(5, 6)), Projections.weightless(6, 3))
    added = head_contributions(trace)
    assert added.shape == (1, 3, 5, 6)
    assert (added[0, 1, :, 2:4] == trace.head_outputs[0, 1]).all()
    assert not added[0, 1, :, :2].any()
    assert not added[0, 1, :, 4:].any()
    assert_same(added.sum(axis=1), trace.output)


def test_one_contribution_by_loops() -> None:
    """A head's contribution is its output times its own block of rows of W_O, number by number."""
    trace = a_trace()
    w_o = trace.projections.w_o
    head, b, t, column = 4, 1, 2, 6
    expected = sum(trace.head_outputs[b, head, t, v] * w_o[head * V + v, column] for v in range(V))
    assert head_contributions(trace)[b, head, t, column] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "read",
    [
        lambda trace, batch: scale_effect(trace, 1, batch).spread,
        lambda trace, batch: unmasked_shares(trace, 1, batch)[0].tolist(),
        lambda trace, batch: strongest_keys(trace, 1, 2, batch=batch),
        lambda trace, batch: keys_read_most(trace, 1, 2, batch),
        lambda trace, batch: moved_cells(trace, batch).tolist(),
        lambda trace, batch: has_shares(trace, batch),
        lambda trace, batch: square_of(trace, 1, batch).scores.tolist(),
        lambda trace, batch: half_plane_of(trace, 2, 1, batch).threshold,
        lambda trace, batch: tokens_of_trace(trace, 1, batch).scores.tolist(),
    ],
)
def test_of_a_batch_the_sequence_is_read_that_is_asked_for(
    read: Callable[[Trace, int], Any],
) -> None:
    """What is said of the second sequence is what is said of it alone; the first, of zeros, is
    another.
    """
    second = np.random.default_rng(5).normal(size=(1, T, 4))
    weights = Projections.random(4, 2, seed=1)
    both, alone = attend(np.concatenate([0 * second, second]), weights), attend(second, weights)
    assert read(both, 1) == read(alone, 0)
    assert read(both, 1) != read(both, 0)


@pytest.mark.parametrize("head", range(H))
def test_slices_of_the_weights(head: int) -> None:
    """A head's block of each weight matrix is what makes that head's queries, keys, values and
    contribution.
    """
    trace = a_trace()
    p, group = trace.projections, head // 2
    blocks = {name: head_slice(trace, name, head) for name in ("w_q", "w_k", "w_v", "w_o")}
    assert {name: block.shape for name, block in blocks.items()} == {
        "w_q": (D, K),
        "w_k": (M, K),
        "w_v": (M, V),
        "w_o": (V, D),
    }
    made = {
        "query_heads": (trace.inputs @ blocks["w_q"] + p.b_q[head * K : (head + 1) * K], head),
        "key_heads": (trace.memory @ blocks["w_k"] + p.b_k[group * K : (group + 1) * K], group),
        "value_heads": (trace.memory @ blocks["w_v"] + p.b_v[group * V : (group + 1) * V], group),
    }
    for name, (block, index) in made.items():
        assert_same(block, getattr(trace, name)[:, index])
    assert_same(trace.head_outputs[:, head] @ blocks["w_o"], head_contributions(trace)[:, head])


@pytest.mark.parametrize(
    ("matrix", "head"), [("w_x", 0), ("b_q", 0), ("n_heads", 0), ("w_q", H), ("w_q", -1)]
)
def test_a_slice_that_does_not_exist(matrix: str, head: int) -> None:
    """An unknown matrix or head is an error that names it."""
    with refused(SettingsError, matrix, head, 6):
        head_slice(a_trace(), matrix, head)


def test_what_a_block_of_weights_reads() -> None:
    """A row of a block counts once it holds a number; the identity gives back what it gets,
    with a bias it does not.
    """
    plain = Projections.weightless(6, n_heads=3)
    trace = attend(np.ones((2, 6)), plain)
    assert [features_read(trace, "w_q", head) for head in range(3)] == [2, 2, 2]
    assert gives_back(trace, "w_q")
    w_q = np.eye(6)
    w_q[0, 5] = -1
    edited = attend(np.ones((2, 6)), replace(plain, w_q=w_q, b_v=np.ones(6)))
    assert [features_read(edited, "w_q", head) for head in range(3)] == [2, 2, 3]
    assert [gives_back(edited, matrix) for matrix in ("w_q", "w_k", "w_v")] == [False, True, False]
    with refused(SettingsError, "matrix"):
        gives_back(trace, "b_q")


def test_no_slice_of_an_absent_matrix() -> None:
    """A layer without W_O has no block of it."""
    with refused(SettingsError, "w_o"):
        head_slice(attend([[1.0]], Projections.weightless(1)), "w_o", 0)


@given(layers())
def test_the_wrong_twins(layer: Layer) -> None:
    """A bare reshape has the right shape; its numbers are right for one head or one token, and
    wrong otherwise.
    """
    trace = layer.run()
    harmless = 1 in (trace.sizes["H"], trace.sizes["T"])
    wrong = split_without_swap(trace.queries, trace.sizes["H"])
    assert wrong.shape == trace.query_heads.shape
    assert (wrong == split_heads(trace.queries, trace.sizes["H"])).all() == harmless
    joined = merge_without_swap(trace.query_heads)
    assert joined.shape == trace.queries.shape
    assert (joined == merge_heads(trace.query_heads)).all() == harmless


def test_a_wrong_twin_by_hand() -> None:
    """Two tokens, two heads of two: the bare reshape gives head 0 all of token 0 and head 1 all
    of token 1.
    """
    fused = np.arange(8).reshape(1, 2, 4)
    assert split_without_swap(fused, 2).tolist() == [[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]]
    assert split_heads(fused, 2).tolist() == [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]


def test_the_scale_effect() -> None:
    """The spread shrinks by the scale, and the largest shares are those of the softmax with and
    without it.
    """
    trace = a_trace()
    effect = scale_effect(trace, 4, batch=1)
    assert effect.spread == pytest.approx(effect.spread_raw * K**-0.5)
    assert effect.spread_raw == pytest.approx(float(np.std(trace.scores[1, 4])))
    assert effect.top_raw == pytest.approx(
        float(np.mean([softmax(row).max() for row in trace.scores[1, 4]]))
    )
    assert effect.top == pytest.approx(float(trace.probabilities[1, 4].max(axis=-1).mean()))
    assert 1 / S <= effect.top < effect.top_raw <= 1


def test_unmasked_shares_are_the_softmax_of_the_scores() -> None:
    """Row by row they are the softmax of the raw and of the scaled scores, whatever the mask
    hides.
    """
    trace = a_trace(mask=np.arange(S) < 2)
    raw_TS, scaled_TS = unmasked_shares(trace, 4, batch=1)
    for query in range(T):
        assert_same(raw_TS[query], softmax(trace.scores[1, 4, query]))
        assert_same(scaled_TS[query], softmax(trace.scaled_scores[1, 4, query]))
    assert_same(scaled_TS, a_trace().probabilities[1, 4])


def test_the_scale_effect_ignores_the_mask() -> None:
    """The comparison is about the scale alone: a mask does not move it."""
    hidden = scale_effect(a_trace(mask=np.arange(S) < 2), 1)
    assert vars(hidden) == vars(scale_effect(a_trace(), 1))


@pytest.mark.parametrize(
    ("dtype", "size"), [("float32", 2.0**33), ("float64", 2.0**260), ("float64", 2.0**-300)]
)
def test_the_scale_effect_of_very_large_and_small_scores(dtype: str, size: float) -> None:
    """Numbers whose squares leave the range of their type spread as the others do, only further."""
    numbers = np.random.default_rng(5).normal(size=(2, T, D)).astype(dtype)
    trace, larger = (
        attend(x, Projections.weightless(D).astype(dtype)) for x in (numbers, numbers * size)
    )
    assert scale_effect(larger, 0).spread_raw == scale_effect(trace, 0).spread_raw * size**2
    assert scale_effect(larger, 0).spread == scale_effect(trace, 0).spread * size**2
