"""The laboratory's set-up: every choice does what it says, numbers survive as text, nonsense is
refused.
"""

from __future__ import annotations

import math
from dataclasses import Field, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from attention_core import AttentionError, SettingsError, ShapeError
from attention_lab.diagonal.measures import gram_alignment
from attention_lab.diagonal.propositions.catalogue import find_proposition
from attention_lab.diagonal.settings import (
    DIAGONAL_PRESETS,
    DIAGONAL_WEIGHTS,
    DiagonalSettings,
    at_angle,
    trace_of_settings,
)
from attention_lab.diagonal.token_matrices import (
    format_tokens,
    gaussian_tokens,
    parse_tokens,
    stretch,
)
from attention_lab.layer_norm import standardised
from attention_lab.words.embeddings import sinusoidal_positions, word_vector
from tests.lab.refusal import Facts, refused

DRAWN = DiagonalSettings(tokens="drawn", n_tokens=5, d_model=7, d_k=3)


@settings(max_examples=40)
@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.floats(-1e300, 1e300)))
def test_numbers_survive_as_text(x: np.ndarray) -> None:
    assert (parse_tokens(format_tokens(x)) == x).all()


@pytest.mark.parametrize(
    ("text", "error", "facts"),
    [
        ("", SettingsError, ("numbers",)),
        ("\u00a0; \r", SettingsError, ("numbers",)),
        ("1; banana", SettingsError, ("banana",)),
        ("1; " + "x" * 500, SettingsError, ("x" * 20 + "…",)),
        ("1,2; 3", ShapeError, (2, 1)),
        ("1; inf", SettingsError, ("finite",)),
        ("1_0; 2", SettingsError, ("1_0",)),
        ("1;2,3;" * 999, ShapeError, (1998, 2)),
        ("1," * 65, ShapeError, (1, 65)),
    ],
)
def test_numbers_that_are_none(text: str, error: type[AttentionError], facts: Facts) -> None:
    with refused(error, *facts):
        parse_tokens(text)


ALONE = {"n_tokens": 6, "d_model": 8, "seed": 1, "spread": 1.0, "positions": "added"}
ALONE |= {"layer_norm": True, "causal": True, "scaled": False, "temperature": 2.0}
CHANGES: dict[str, dict[str, Any]] = {name: {name: value} for name, value in ALONE.items()}
CHANGES |= {
    "tokens": {"tokens": "sentence"},
    "text": {"tokens": "sentence", "text": "other words"},
    "numbers": {"tokens": "numbers", "numbers": "1; 5"},
    "weights": {"weights": "tied"},
    "angle": {"weights": "angle", "angle": 30.0},
    "d_k": {"weights": "tied", "d_k": 2},
}


@pytest.mark.parametrize("field", fields(DiagonalSettings), ids=lambda field: field.name)
def test_every_choice_matters(field: Field[Any]) -> None:
    before, after = (
        trace_of_settings(replace(DRAWN, **change)).probabilities
        for change in ({}, CHANGES[field.name])
    )
    assert before.shape != after.shape or np.abs(before - after).max() > 1e-6


def test_the_three_kinds_of_tokens() -> None:
    words = trace_of_settings(DiagonalSettings(text="cat dog", d_model=4))
    assert words.tokens == ("cat", "dog")
    assert (words.inputs[0] == [word_vector(word, 4) for word in words.tokens]).all()
    assert (gaussian_tokens(5, 9, seed=2)[:, :7] == gaussian_tokens(5, 7, seed=2)).all()
    typed = trace_of_settings(DiagonalSettings(tokens="numbers", numbers="3,3; 10,0"))
    assert (typed.tokens, typed.inputs[0].tolist()) == (("0", "1"), [[3, 3], [10, 0]])


def test_stretching_keeps_directions() -> None:
    x = gaussian_tokens(50, 3)
    ratio = stretch(x, 1.0) / x
    assert ratio == pytest.approx(np.broadcast_to(ratio[:, :1], ratio.shape))
    assert np.log(ratio[:, 0]).std() == pytest.approx(1, abs=0.3)
    assert (stretch(x, 0.0) == x).all()
    assert np.log(stretch(x, 2.0) / x) == pytest.approx(2 * np.log(ratio))


def test_normalised_tokens() -> None:
    normed = standardised(np.vstack([gaussian_tokens(6, 5) + 3, np.full(5, 0.1)]))
    assert np.linalg.norm(normed[:6], axis=1) == pytest.approx(math.sqrt(5))
    assert normed.mean(axis=1) == pytest.approx(0, abs=1e-12)
    assert not normed[6].any()


def test_positions() -> None:
    code = sinusoidal_positions(5, 7)
    plain, added, beside = (
        trace_of_settings(replace(DRAWN, positions=one)).inputs[0]
        for one in ("none", "added", "concatenated")
    )
    assert added == pytest.approx(plain + code)
    assert (beside == np.hstack([plain, code])).all()


@pytest.mark.parametrize(
    ("degrees", "alignment"),
    [(0, 1), (60, 0.5), (90, 0), (120, -0.5), (180, -1), (360, 1), (-90, 0)],
)
def test_the_angle(degrees: float, alignment: float) -> None:
    weights = at_angle(32, 32, degrees)
    assert gram_alignment(weights.w_q, weights.w_k) == pytest.approx(alignment, abs=0.06)
    if degrees % 180 == 0:
        assert (weights.w_k == (1 if degrees % 360 == 0 else -1) * weights.w_q).all()


@pytest.mark.parametrize("weights", DIAGONAL_WEIGHTS)
def test_weights(weights: str) -> None:
    trace = trace_of_settings(replace(DRAWN, weights=weights))
    p = trace.projections
    assert trace.scale == pytest.approx(1 / math.sqrt(7 if weights == "weightless" else 3))
    assert (p.w_q.shape == (7, 7)) == (weights == "weightless")
    assert ("tied" in weights or weights in ("weightless", "angle")) == bool((p.w_k == p.w_q).all())
    if "orthonormal" in weights:
        assert p.w_q.T @ p.w_q == pytest.approx(np.eye(3))


def test_temperature_and_scale() -> None:
    hot = replace(DRAWN, weights="tied", temperature=4.0)
    assert trace_of_settings(hot).scale == pytest.approx(0.25 / math.sqrt(3))
    assert trace_of_settings(replace(hot, scaled=False)).scale == 0.25


@pytest.mark.parametrize(
    "nonsense",
    [
        {"tokens": "numbers", "numbers": "1e308; -1e308"},
        {"tokens": "numbers", "numbers": "1e308", "spread": 2.0},
        {"weights": "orthonormal", "d_k": 8},
    ],
)
def test_nonsense_is_refused(nonsense: dict[str, Any]) -> None:
    with pytest.raises(AttentionError):
        trace_of_settings(replace(DRAWN, **nonsense))


@pytest.mark.parametrize("preset", DIAGONAL_PRESETS, ids=lambda p: p.name)
def test_presets_show_what_they_say(preset: Any) -> None:
    x, name = trace_of_settings(preset.settings).inputs[0], preset.name
    checks = {number: find_proposition(number).check(x) for number in ("S4", "S5", "S11", "S12")}
    violated = {number for number in ("S4", "S5") if not checks[number].holds}
    expected = {"one_two_three": {"S4", "S5"}, "nearly_all": {"S4", "S5"}, "equal_norms": set()}
    assert violated == expected.get(name, {"S5"})
    assert checks["S12"].applies == (name in ("equal_norms", "duplicates"))
    assert checks["S11"].applies == (name in ("one_two_three", "duplicates", "inside"))
