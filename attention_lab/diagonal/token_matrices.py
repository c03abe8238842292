"""Token matrices to try attention on: drawn at random, typed as numbers, stretched."""

from __future__ import annotations

import math

import numpy as np

from attention_core.checks import (
    Array,
    as_numbers,
    as_stack,
    check_text,
    number_between,
    whole_number,
)
from attention_core.errors import SettingsError, ShapeError
from attention_core.initialisation import Stream, generator
from attention_core.limits import check_room
from attention_core.number_types import all_finite, check_range

from ..files.file_checks import typed_number

MAX_TOKENS, MAX_FEATURES = 64, 64


def gaussian_tokens(n_tokens: int, d_model: int, seed: int = 0) -> Array:
    """Tokens whose features are independent, with mean 0 and variance 1. Shapes: (T, D).

    More features leave the first ones as they are, so that only d_model changes.
    """
    check_room(
        n_tokens=whole_number("n_tokens", n_tokens, 1), d_model=whole_number("d_model", d_model, 1)
    )
    features_DT = generator(seed, Stream.TOKENS).standard_normal((d_model, n_tokens))
    return np.ascontiguousarray(features_DT.T)


def stretch(x_TD: Array, spread: float, seed: int = 0) -> Array:
    """Tokens made longer and shorter at random: token i times exp(spread · z_i) with z_i normal.

    The directions stay. spread: 0 changes nothing; at 1 one token in six becomes more than e times
    as long.
    Shapes: (T, D).
    """
    x_TD = as_stack("x", x_TD, 2, exactly=True)
    number_between("spread", spread)
    with np.errstate(over="ignore", invalid="ignore"):
        factors_T1 = np.exp(
            spread * generator(seed, Stream.LENGTHS).standard_normal((len(x_TD), 1))
        )
        longer: Array = x_TD * factors_T1
    check_range(longer)
    return longer


def parse_tokens(text: str) -> Array:
    """A typed token matrix: tokens separated by semicolons, features by commas or spaces. Shapes:
    (T, D).

    Raises: SettingsError for what is no number, ShapeError for ragged rows or too many numbers.

    >>> parse_tokens("3, 3; 10 0; 11 -20").tolist()
    [[3.0, 3.0], [10.0, 0.0], [11.0, -20.0]]
    """
    check_text("text", text)
    rows = [words for row in text.split(";") if (words := row.replace(",", " ").split())]
    if not rows:
        raise SettingsError("no numbers are given: write tokens like 1; 2; 3 or 3,3; 10,0")
    widest = max(map(len, rows))
    if len(rows) > MAX_TOKENS or widest > MAX_FEATURES:
        raise ShapeError(
            f"{len(rows)} tokens of {widest} features are too many; {MAX_TOKENS} of"
            f" {MAX_FEATURES} fit"
        )
    if len({len(row) for row in rows}) > 1:
        raise ShapeError(
            f"the tokens have {', '.join(str(len(row)) for row in rows)} features; give each as"
            " many"
        )
    x_TD = np.array([[_number(word) for word in row] for row in rows])
    if not all_finite(x_TD):
        raise SettingsError(
            "every number must be finite: replace inf and what is larger than 1e308"
        )
    return x_TD


def format_tokens(x_TD: Array) -> str:
    """A token matrix as text that `parse_tokens` turns into the very same numbers.

    >>> format_tokens(np.array([[3.0, 0.5], [1.0, -20.0]]))
    '3,0.5; 1,-20'
    """
    x_TD = as_numbers("x", x_TD)
    if x_TD.ndim != 2:
        raise ShapeError(f"x has shape {x_TD.shape} but must have a row for each token")
    return "; ".join(
        ",".join(repr(float(value)).removesuffix(".0") for value in row) for row in x_TD
    )


def _number(word: str) -> float:
    number = typed_number(word)
    if math.isnan(number):
        shown = word if len(word) <= 20 else f"{word[:20]}…"
        raise SettingsError(f"{shown!r} is no number: write tokens like 1; 2; 3 or 3,3; 10,0")
    return number
