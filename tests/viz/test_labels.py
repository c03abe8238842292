"""Words and numbers in pictures: short, unmistakable, never markup."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lab.words.numbers import format_number, without_noise
from attention_lab.words.text import PADDING_TOKEN, Tokens
from attention_viz.labels import MAX_LABEL_LENGTH, label_width, numbered_labels, shorten
from tests.viz.example_traces import HOSTILE


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("", ""),
        ("cat", "cat"),
        ("x" * MAX_LABEL_LENGTH, "x" * MAX_LABEL_LENGTH),
        ("x" * (MAX_LABEL_LENGTH + 1), "x" * (MAX_LABEL_LENGTH - 1) + "…"),
        ("x" * 500, "x" * (MAX_LABEL_LENGTH - 1) + "…"),
        ("<script>", "&lt;script&gt;"),
        ("&lt;", "&amp;lt;"),
        ("R&D", "R&amp;D"),
        ("@query", "@query"),
        ("שלום", "שלום"),
    ],
)
def test_labels(token: str, label: str) -> None:
    assert shorten(token) == label


def test_equal_tokens_have_labels_apart() -> None:
    assert numbered_labels(["the", "the", "<b>"]) == ("0 the", "1 the", "2 &lt;b&gt;")


def test_the_width_of_labels() -> None:
    widths = {"a": 1, "A": 1.2, "W": 1.5, "…": 1.5, "動": 2, "🙂": 2}
    assert {sign: round(label_width([sign]) / 6.05, 3) for sign in widths} == widths
    assert label_width(["it", "sat", "a"], 20) == pytest.approx(33)
    assert label_width([]) == 0


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0.000"),
        (1.0, 3, "1.000"),
        (-0.5, 3, "−0.500"),
        (0.001, 3, "0.001"),
        (0.0009, 3, "9.00e−04"),
        (-0.0009, 3, "−9.00e−04"),
        (0.0009, 4, "0.0009"),
        (123456.789, 1, "123456.8"),
        (1e6, 3, "1.00e+06"),
        (-2.5e-300, 3, "−2.50e−300"),
        (math.inf, 3, "∞"),
        (-math.inf, 3, "−∞"),
    ],
)
def test_numbers(value: float, digits: int, text: str) -> None:
    assert format_number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "digits", "among", "text"),
    [  # the same table as in tests/js/numbers.test.js
        (1.78e-5, 3, 1.0, "≈ 0"),
        (-2e-4, 3, 10.0, "≈ 0"),
        (4e-4, 3, 0.3, "4.00e−04"),
        (0.002, 2, 1.0, "2.00e−03"),
        (0.0, 3, 1.0, "0.000"),
        (0.25, 3, 1e6, "0.250"),
    ],
)
def test_small_numbers_among_others(value: float, digits: int, among: float, text: str) -> None:
    assert format_number(value, digits, among) == text


def test_noise_is_zero() -> None:
    numbers = np.array([1.22e-16, -4e-7, 6e-7, 0.5, -np.inf, np.nan])
    np.testing.assert_array_equal(without_noise(numbers), [0, 0, 6e-7, 0.5, -np.inf, np.nan])
    np.testing.assert_array_equal(without_noise(10 * numbers)[:3], [0, -4e-6, 6e-6])
    np.testing.assert_array_equal(without_noise(numbers[:1]), numbers[:1])


# Rounding a number next to the largest float gives one that float cannot hold.
@settings(max_examples=40)
@given(st.floats(-1e300, 1e300), st.integers(1, 6))
def test_a_number_can_be_read_back(value: float, digits: int) -> None:
    text = format_number(value, digits)
    assert "-" not in text
    shown = float(text.replace("−", "-"))
    assert shown == pytest.approx(
        value, rel=0.0051, abs=0.51 * 10**-digits if abs(value) >= 10**-digits else 0
    )
    assert (shown == 0) == (value == 0)


TOKENS = Tokens((*HOSTILE, PADDING_TOKEN), len(HOSTILE))
