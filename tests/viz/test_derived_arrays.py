"""Derived arrays: the matrices that only explain agree with the functions that compute them
whole.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, SettingsError, attend, softmax
from attention_lab.heads.layout_mistakes import merge_without_swap, split_without_swap
from attention_lab.heads.reruns import rerun
from attention_lab.heads.weight_blocks import head_contributions
from attention_viz.derived_arrays import (
    DERIVED_ARRAYS,
    OF_THE_SINK,
    derived_array_of,
    shape_of,
)
from tests.viz.derived_numbers import slice_of

RNG = np.random.default_rng(3)
# A layer in which every size is another prime, and some keys are hidden; and four query heads on
# two key/value heads, looking at another sequence.
PLAIN = attend(
    RNG.normal(size=(5, 11)), Projections.random(11, 3, d_k=2, d_v=7, seed=1), causal=True
)
SHARED = attend(
    RNG.normal(size=(5, 11)),
    Projections.random(11, 4, n_kv_heads=2, d_k=3, d_v=5, d_memory=13, seed=2),
    memory=RNG.normal(size=(7, 13)),
)


def test_every_aside_has_a_shape_and_a_cell() -> None:
    for layer in (PLAIN, SHARED, rerun(SHARED, sink=np.arange(4.0))):
        for name in DERIVED_ARRAYS:
            if name in OF_THE_SINK and layer.sink is None:
                with pytest.raises(SettingsError, match="no sink"):
                    derived_array_of(layer, name)
                continue
            shape = shape_of(layer, derived_array_of(layer, name))
            for corner in (0, -1):
                fixed = {axis: range(length)[corner] for axis, length in enumerate(shape)}
                assert not np.isnan(slice_of(layer, name, fixed))


def test_the_sink_has_its_part_of_every_row() -> None:
    layer = rerun(SHARED, sink=np.arange(4.0))
    shares, sums = (slice_of(layer, name, {0: 0}) for name in ("sink_shares", "share_sum"))
    np.testing.assert_allclose(shares, layer.sink_share[0], atol=1e-12)
    np.testing.assert_allclose(shares + sums, 1, atol=1e-12)
    of_sink, whole = (slice_of(layer, n, {0: 0}) for n in ("sink_exponentials", "row_sum"))
    np.testing.assert_allclose(of_sink / whole, shares, atol=1e-12)


def test_weighted_values_are_the_summands_of_the_mix() -> None:
    for layer, head, group in ((PLAIN, 2, 2), (SHARED, 3, 1)):
        drawn = slice_of(layer, "weighted_values", {0: 0, 1: head, 2: 4})
        weights_S, values_SV = layer.probabilities[0, head, 4], layer.value_heads[0, group]
        for key, (weight, value) in enumerate(zip(weights_S, values_SV, strict=True)):
            np.testing.assert_allclose(drawn[key], weight * value, atol=1e-15)
        np.testing.assert_allclose(drawn.sum(axis=0), layer.head_outputs[0, head, 4], atol=1e-12)


def test_head_contributions_are_blocks_of_w_o() -> None:
    drawn = slice_of(PLAIN, "head_contributions", {0: 0, 2: 3})
    np.testing.assert_allclose(drawn, head_contributions(PLAIN)[0, :, 3], atol=1e-13)


def test_the_softmax_in_its_stages() -> None:
    place = {0: 0, 1: 1, 2: 2}
    scores = [float(score) for score in PLAIN.masked_scores[0, 1, 2]]
    shifted = [score - max(scores) for score in scores]
    exponentials = [math.exp(number) for number in shifted]
    assert slice_of(PLAIN, "row_maximum", place) == max(scores)
    assert slice_of(PLAIN, "row_sum", place) == pytest.approx(math.fsum(exponentials), abs=1e-14)
    np.testing.assert_array_equal(slice_of(PLAIN, "shifted_scores", place), shifted)
    np.testing.assert_allclose(slice_of(PLAIN, "exponentials", place), exponentials, atol=1e-15)
    np.testing.assert_allclose(
        PLAIN.probabilities[0, 1, 2] * math.fsum(exponentials), exponentials, atol=1e-14
    )


def test_a_row_with_nothing_to_attend_to() -> None:
    layer = attend([[1.0], [2.0]], Projections.weightless(1), mask=np.zeros((2, 2), dtype=bool))
    assert slice_of(layer, "row_maximum", {0: 0, 1: 0, 2: 1}) == -np.inf
    assert slice_of(layer, "exponentials", {0: 0, 1: 0, 2: 1}).tolist() == [0, 0]


def test_shares_without_the_mask() -> None:
    for name, scores in (("raw_shares", PLAIN.scores), ("scaled_shares", PLAIN.scaled_scores)):
        drawn = slice_of(PLAIN, name, {0: 0, 1: 2, 2: 1})
        np.testing.assert_allclose(drawn, softmax(scores[0, 2, 1]), atol=1e-14)


@pytest.mark.parametrize("field", ["queries", "keys", "values"])
def test_the_split_with_and_without_the_swap(field: str) -> None:
    for layer in (PLAIN, SHARED):
        fused = getattr(layer, field)
        n_heads = layer.sizes["H" if field == "queries" else "G"]
        np.testing.assert_array_equal(
            slice_of(layer, f"reshaped_{field}", {0: 0}),
            fused.reshape(*fused.shape[:2], n_heads, -1)[0],
        )
        np.testing.assert_array_equal(
            slice_of(layer, f"unswapped_{field}", {0: 0}), split_without_swap(fused, n_heads)[0]
        )


def test_the_merge_without_the_swap() -> None:
    np.testing.assert_array_equal(
        slice_of(PLAIN, "merged_unswapped", {0: 0}), merge_without_swap(PLAIN.head_outputs)[0]
    )


def test_one_pair_in_all_heads() -> None:
    for layer in (PLAIN, SHARED):
        place = {0: 0, 1: 4, 2: 3}
        products, hadamard = (
            slice_of(layer, "pair_products", place),
            slice_of(layer, "pair_hadamard", place),
        )
        wanted = layer.scores[0, :, 4, 3]
        np.testing.assert_allclose(np.diag(products), wanted, atol=1e-13)
        keys = layer.key_heads[0, :, 3].repeat(len(products) // layer.sizes["G"], axis=0)
        np.testing.assert_allclose(products, layer.query_heads[0, :, 4] @ keys.T, atol=1e-13)
        np.testing.assert_allclose(hadamard.sum(axis=1), wanted, atol=1e-13)
        assert slice_of(layer, "pair_total", place) == pytest.approx(wanted.sum(), abs=1e-12)


def test_what_there_is_not() -> None:
    layer = attend([[1.0], [2.0]], Projections.weightless(1))
    with pytest.raises(SettingsError, match="no W_O"):
        derived_array_of(layer, "head_contributions")
