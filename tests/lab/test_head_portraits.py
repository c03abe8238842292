"""The measures of a head: known values for typical heads, and none where one has no meaning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, attend
from attention_lab.heads import patterns as p
from attention_lab.heads.head_portraits import MEASURES, Measure
from attention_lab.heads.patterns import Pattern, pattern_of
from attention_lab.notation.formulas import in_letters
from attention_lab.notation.notation import OURS
from attention_lab.notation.texts import GML
from tests.core.random_layers import Layer, assert_same, calls


def test_one_row_by_hand() -> None:
    row = np.array([0.5, 0.25, 0.25])
    assert float(p.entropy(row)) == pytest.approx(1.5 * math.log(2))
    assert float(p.effective_tokens(row)) == pytest.approx(2**1.5)
    assert float(p.participation_ratio(row)) == pytest.approx(16 / 6)
    assert float(p.normalised_entropy(row, np.ones(3, dtype=bool))) == pytest.approx(
        1.5 * math.log(2) / math.log(3)
    )


@pytest.mark.parametrize("d_k", [1, 2, 3, 5])
def test_the_rank_of_the_scores_is_the_head_width(d_k: int) -> None:
    weights = Projections.random(7, 2, d_k=d_k, d_v=3, bias=True)
    pattern = p.pattern_of(attend(np.random.default_rng(1).normal(size=(3, 11, 7)), weights))
    assert (p.score_rank(pattern.scores) == d_k).all()


@settings(max_examples=40)
@given(calls(modern=False))
def test_the_uniform_pattern_is_attention_with_scale_zero(
    call: tuple[Layer, dict[str, Any]],
) -> None:
    layer, options = call
    even = layer.run(**{k: v for k, v in options.items() if k != "bias"} | {"scale": 0.0})
    pattern = p.pattern_of(even)
    assert_same(pattern.uniform.probabilities, pattern.probabilities)
    several = pattern.allowed.sum(axis=-1) > 1
    assert_same(p.normalised_entropy(pattern.probabilities, pattern.allowed), several.astype(float))


@settings(max_examples=40)
@given(calls())
def test_the_pattern_does_not_depend_on_what_empty_rows_hold(
    call: tuple[Layer, dict[str, Any]],
) -> None:
    layer, options = call
    zeros, nans = (
        p.pattern_of(layer.run(**options | {"empty_rows": kind})) for kind in ("zero", "nan")
    )
    assert (zeros.probabilities == nans.probabilities).all()
    assert (zeros.occupied == ~layer.run(**options).empty_rows).all()


def test_means_leave_out_what_is_unknown() -> None:
    means = p.mean_of_rows(np.array([[1.0, np.nan, 4.0], [np.nan] * 3]))
    assert means[0] == 2.5
    assert np.isnan(means[1])


@pytest.mark.parametrize(("dtype", "large"), [("float32", 1e38), ("float64", 5e307)])
def test_means_of_the_largest_numbers(dtype: str, large: float) -> None:
    assert p.mean_of_rows(np.array([large, 3 * large], dtype)) == pytest.approx(2 * large, rel=1e-6)
    assert p.mean_of_rows(np.array([1e-320, 3e-320])) == 2e-320


N = 7
BY_KEY = {measure.key: measure for measure in MEASURES}
IN_ORDER = {"mean_distance", "signed_distance", "self_mass", "previous_mass", "next_mass"}


def typical() -> Pattern:
    """Five heads of one sequence: itself, previous word, next word, first word, everything
    alike.
    """
    itself = np.eye(N)
    previous, following, first = np.eye(N, k=-1), np.eye(N, k=1), np.zeros((N, N))
    previous[0, 0] = following[-1, -1] = 1
    first[:, 0] = 1
    shares = np.stack([itself, previous, following, first, np.full((N, N), 1 / N)])[np.newaxis]
    return Pattern(shares, np.ones(shares.shape, dtype=bool))


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("self_mass", [1, 1 / N, 1 / N, 1 / N, 1 / N]),
        ("previous_mass", [0, 1, 0, 1 / (N - 1), 1 / N]),
        ("next_mass", [0, 0, 1, 0, 1 / N]),
        ("first_mass", [1 / N, 2 / N, 0, 1, 1 / N]),
        ("mean_distance", [0, 6 / N, 6 / N, 3, 16 / 7]),
        ("signed_distance", [0, -6 / N, 6 / N, -3, 0]),
        ("entropy", [0, 0, 0, 0, np.log(N)]),
        ("normalised_entropy", [0, 0, 0, 0, 1]),
        ("effective_tokens", [1, 1, 1, 1, N]),
        ("participation", [1, 1, 1, 1, N]),
        ("column_sums", [1, 2, 2, N, 1]),
    ],
)
def test_typical_heads_have_known_values(key: str, expected: list[float]) -> None:
    assert_same(BY_KEY[key].value(typical()), [expected])


@pytest.fixture(scope="module")
def layer() -> Pattern:
    """Two sequences, three heads; token 0 of the second sequence has nothing to attend to."""
    mask = np.tri(N, dtype=bool)[np.newaxis, np.newaxis].repeat(2, axis=0)
    mask[1, 0, 0] = False
    x = np.random.default_rng(4).normal(size=(2, N, 5))
    return pattern_of(attend(x, Projections.random(5, 3, d_k=2, d_v=2), mask=mask))


def test_queries_that_see_no_key_do_not_count(layer: Pattern) -> None:
    seen = Pattern(*(one[1:, :, 1:] for one in (layer.probabilities, layer.allowed)))
    for key in ("entropy", "normalised_entropy", "effective_tokens", "participation", "first_mass"):
        assert_same(BY_KEY[key].value(layer)[1:], BY_KEY[key].value(seen))


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_heads_and_sequences_do_not_mix(measure: Measure, layer: Pattern) -> None:
    alone = Pattern(
        *(array[1:, 2:] for array in (layer.probabilities, layer.allowed, layer.scores))
    )
    assert_same(measure.value(alone)[0, 0], measure.value(layer)[1, 2])


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_the_baseline_is_a_head_without_preferences(measure: Measure, layer: Pattern) -> None:
    baseline = measure.baseline(layer)
    if measure.of_scores:
        assert baseline is None
    else:
        assert_same(baseline, measure.value(layer.uniform))
        assert_same(baseline[0, 0], baseline[0, 1])


def test_measures_of_order_need_one_sequence() -> None:
    rng = np.random.default_rng(0)
    cross = attend(
        rng.normal(size=(3, 4)), Projections.random(4, 2), memory=rng.normal(size=(5, 4))
    )
    assert {m.key for m in MEASURES if not m.applies(pattern_of(cross))} == IN_ORDER


def test_a_single_token_has_no_neighbours() -> None:
    alone = pattern_of(attend([[1.0, 2.0]], Projections.random(2, 2)))
    unknown = {one.key for one in MEASURES if np.isnan(one.value(alone)).any()}
    assert unknown == {"previous_mass", "next_mass"}


def test_formulas_in_the_letters_of_a_text() -> None:
    words = r"n_i: $$d_i = |i - j|$$ $A_{i,i-1}, \sum_j A_{ij}^2, A_{i0}$ n_i $\ln n_i, S \le d_k$"
    assert in_letters(words, OURS) == words
    assert in_letters(words, GML) == (
        r"n_i: $$d_n = |n - m|$$ $\mathcal{P}_{n-1,n}, \sum_m \mathcal{P}_{mn}^2,"
        r" \mathcal{P}_{0n}$ n_i $\ln T_n, C \le N \div \mathtt{n\_heads}$"
    )
    even, uneven = (attend(np.ones((N, 6)), Projections.random(6, 3, d_k=d_k)) for d_k in (2, 5))
    assert in_letters("$d_k$", GML, even) == in_letters("$d_k$", GML)
    assert in_letters("$d_k$", GML, uneven) == "$d_k$"
