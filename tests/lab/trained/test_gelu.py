"""GELU and the error function behind it, against the C library's."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.trained.encoder import ERF_COEFFICIENTS, erf, gelu

LAST_BIT = 2**-23  # of float32 before 1
EVERYWHERE = np.concatenate([np.linspace(-6, 6, 24_001), 10.0 ** np.linspace(-30, 38, 301), [0.0]])


def c_library(x: np.ndarray) -> np.ndarray:
    """math.erf of every number."""
    return np.array([math.erf(value) for value in x.tolist()])


def test_float32_is_right_to_the_last_bit() -> None:
    x = np.concatenate([EVERYWHERE, -EVERYWHERE]).astype(np.float32)
    result = erf(x)
    assert result.dtype == np.float32
    assert np.abs(result - c_library(x)).max() <= LAST_BIT
    assert np.abs(result).max() <= 1


@pytest.mark.parametrize("exponent", [-3, -10, -20, -35])
def test_float32_is_right_near_zero(exponent: int) -> None:
    x = np.float32(10.0**exponent)
    assert float(erf(np.array([x]))[0]) == pytest.approx(math.erf(float(x)), rel=5e-7)


def test_the_polynomial_before_rounding() -> None:
    x = np.linspace(-8, 8, 16_001)
    fitted = np.tanh(x * np.polyval(ERF_COEFFICIENTS[::-1], x**2))
    assert np.abs(fitted - c_library(x)).max() < 8.6e-9


def test_float64_is_the_c_library() -> None:
    x = EVERYWHERE[:24_000].reshape(2, 3, -1)
    assert erf(x).shape == x.shape
    assert (erf(x).ravel() == c_library(x.ravel())).all()


@given(st.floats(-30, 30))
def test_gelu_is_x_times_the_chance_of_a_smaller_one(x: float) -> None:
    assert gelu([x])[0] == pytest.approx(x * NormalDist().cdf(x), rel=1e-12, abs=1e-14)


def test_gelu_by_hand() -> None:
    assert gelu([0.0, 1.0, -1.0, 40.0, -40.0]) == pytest.approx(
        [0, 0.8413447460685429, -0.15865525393145707, 40, 0]
    )


@pytest.mark.parametrize(("dtype", "large"), [(np.float32, 3e38), (np.float64, 1.7e308)])
def test_the_largest_numbers_pass(dtype: type, large: float) -> None:
    x = np.array([large, -large], dtype)
    assert gelu(x).tolist() == [x[0], 0]


def test_gelu_is_not_its_shorter_stand_in() -> None:
    x = 2.7
    short = 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    exact = x * NormalDist().cdf(x)
    assert abs(short - exact) > 4e-4
    assert abs(float(gelu(np.array([x], np.float32))[0]) - exact) < 5e-7


def test_gelu_keeps_its_argument() -> None:
    x = np.array([1.0, -2.0], np.float32)
    assert gelu(x).dtype == np.float32
    assert x.tolist() == [1.0, -2.0]
    assert gelu([1, 2]).dtype == np.float64


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_single_number(kind: type) -> None:
    assert float(erf(kind(0.5))) == pytest.approx(math.erf(0.5), rel=1e-6)
    assert float(gelu(kind(-1))) == pytest.approx(-NormalDist().cdf(-1), rel=1e-6)
    assert gelu(kind(-1)).dtype == kind
