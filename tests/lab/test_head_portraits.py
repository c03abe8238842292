"""Each measure has its known value for typical heads, and is left out if it has no meaning."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.head_portraits import MEASURES, Measure
from attention_lab.heads.patterns import Pattern, mean_of_rows, pattern_of
from attention_lab.notation.formulas import in_letters
from attention_lab.notation.notation import OURS, Notation
from attention_lab.notation.texts import NOTATIONS
from tests.core.random_layers import assert_same

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


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_a_value_sums_up_its_profile(measure: Measure, layer: Pattern) -> None:
    profile, value = measure.profile(layer), measure.value(layer)
    assert profile.shape[:2] == value.shape == (2, 3)
    assert profile.shape[2] == N
    if measure.axis == "T":
        assert np.isnan(profile[1, :, 0]).all()
        assert_same(value, mean_of_rows(profile))
    elif measure.axis == "S":
        assert_same(value, profile.max(axis=-1))
    else:
        assert (value == (profile > 1e-12).sum(axis=-1)).all()


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


def test_probabilities_alone_have_no_rank() -> None:
    assert {m.key for m in MEASURES if not m.applies(typical())} == {"rank"}


def test_every_measure_of_a_layer(layer: Pattern) -> None:
    assert all(one.applies(layer) for one in MEASURES)


def test_a_single_token_has_no_neighbours() -> None:
    alone = pattern_of(attend([[1.0, 2.0]], Projections.random(2, 2)))
    unknown = {one.key for one in MEASURES if np.isnan(one.value(alone)).any()}
    assert unknown == {"previous_mass", "next_mass"}


def test_every_measure_explains_itself() -> None:
    assert len(BY_KEY) == len({measure.name for measure in MEASURES}) == len(MEASURES)
    for measure in MEASURES:
        assert all((measure.formula, measure.range))
        assert measure.description.endswith(".")
        assert not re.search(
            r"-\d", measure.range + measure.description
        )  # a true minus sign, as in numbers


@pytest.mark.parametrize("text", NOTATIONS.values(), ids=lambda text: text.key)
def test_formulas_in_the_letters_of_a_text(text: Notation) -> None:
    words = (
        r"n_i: $$d_i = |i - j|$$ $A_{i,i-1}, \sum_j A_{ij}^2, A_{i0}$ n_i $\ln n_i,"
        r" \operatorname{rank} S \le d_k$"
    )
    _, i, j, _ = text.indices
    cells = (
        (f"{i},{i}-1", f"{i}{j}", f"{i}0")
        if text.convention == "row"
        else (f"{i}-1,{i}", f"{j}{i}", f"0{i}")
    )
    before, pair, first = (f"{text.base('probabilities')}_{{{cell}}}" for cell in cells)
    known = (
        rf"\ln {text.base('n_tokens')}_{i}, \operatorname{{rank}} {text.base('scores')} \le"
        rf" {text.base('d_k')}"
    )
    expected = rf"n_i: $$d_{i} = |{i} - {j}|$$ ${before}, \sum_{j} {pair}^2, {first}$ n_i ${known}$"
    even, uneven = (attend(np.ones((N, 6)), Projections.random(6, 3, d_k=d_k)) for d_k in (2, 5))
    assert in_letters(words, text) == in_letters(words, text, even) == expected
    assert in_letters("$d_k$", text, uneven) == ("$d_k$" if text.even else f"${text.base('d_k')}$")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_every_formula_is_written_in_our_letters(measure: Measure) -> None:
    words = f"${measure.formula}$ {measure.range}"
    assert in_letters(words, OURS) == words
