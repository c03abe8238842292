"""Token matrices: random ones, typed ones, and ones of other lengths."""

import math

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError, ShapeError
from attention_core.initialisation import Stream, generator
from attention_core.numbers import all_finite, check_range, check_room

from ..files.file_checks import typed_number

MAX_TOKENS, MAX_FEATURES = 64, 64


def gaussian_tokens(n_tokens: int, d_model: int, seed: int = 0) -> Array:
    """Tokens with independent normal features of mean 0 and variance 1. Shapes: (T, D).

    A larger d_model adds features and does not change the others.
    """
    check_room(n_tokens=n_tokens, d_model=d_model)
    features_DT = generator(seed, Stream.TOKENS).standard_normal((d_model, n_tokens))
    return np.ascontiguousarray(features_DT.T)


def stretch(x_TD: Array, spread: float, seed: int = 0) -> Array:
    """Tokens with random lengths: token i times exp(spread · z_i), with z_i normal.

    The directions do not change. spread: 0 changes nothing; at 1 one token in six becomes more than
    e times longer. Shapes: (T, D). Raises: SettingsError beyond the range of float.
    """
    normal_T1 = generator(seed, Stream.LENGTHS).standard_normal((len(x_TD), 1))
    with np.errstate(over="ignore", invalid="ignore"):
        longer: Array = x_TD * np.exp(spread * normal_T1)
    check_range(longer)
    return longer


def parse_tokens(text: str) -> Array:
    """A typed token matrix: tokens separated by semicolons, features by commas or spaces. Shapes:
    (T, D).

    Raises: SettingsError for words that are not numbers, ShapeError for rows of different lengths
    or too many numbers.

    >>> parse_tokens("3, 3; 10 0; 11 -20").tolist()
    [[3.0, 3.0], [10.0, 0.0], [11.0, -20.0]]
    """
    rows = [words for row in text.split(";") if (words := row.replace(",", " ").split())]
    if not rows:
        raise SettingsError("numbers is empty: write tokens such as 1; 2; 3 or 3,3; 10,0")
    widest = max(map(len, rows))
    if len(rows) > MAX_TOKENS or widest > MAX_FEATURES:
        raise ShapeError(
            f"numbers has {len(rows)} tokens of {widest} features: write at most {MAX_TOKENS}"
            f" tokens of {MAX_FEATURES}"
        )
    if len({len(row) for row in rows}) > 1:
        raise ShapeError(
            f"the tokens have {', '.join(str(len(row)) for row in rows)} features: give all tokens"
            " the same number of features"
        )
    x_TD = np.array([[_number(word) for word in row] for row in rows])
    if not all_finite(x_TD):
        raise SettingsError("numbers must be finite: replace inf and numbers above 1e308")
    return x_TD


def format_tokens(x_TD: Array) -> str:
    """A token matrix as text, from which `parse_tokens` makes exactly the same numbers.

    >>> format_tokens(np.array([[3.0, 0.5], [1.0, -20.0]]))
    '3,0.5; 1,-20'
    """
    return "; ".join(
        ",".join(repr(float(value)).removesuffix(".0") for value in row) for row in x_TD
    )


def _number(word: str) -> float:
    number = typed_number(word)
    if math.isnan(number):
        shown = word if len(word) <= 20 else f"{word[:20]}…"
        raise SettingsError(f"{shown!r} is not a number: write tokens such as 1; 2; 3 or 3,3; 10,0")
    return number
