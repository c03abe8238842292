"""What the engine accepts: every check of an argument, each with a sentence that names it and says what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from .errors import SettingsError, ShapeError

Array = np.ndarray[Any, np.dtype[Any]]

MAX_AXES = 8  # of an array in a file
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
# The largest number of each type the engine computes in.
LARGEST = {dtype: float(np.finfo(dtype).max) for dtype in (_SINGLE, _DOUBLE)}


def engine_dtype(*arrays: Array | None) -> type[np.floating[Any]]:
    """float32 when every array is float32, else float64."""
    given = {array.dtype for array in arrays if array is not None}
    return np.float32 if given == {_SINGLE} else np.float64


def as_numbers(name: str, values: ArrayLike) -> Array:
    """`values` as a float32 or float64 array of finite numbers (float32 stays, all else becomes float64).

    Raises: ShapeError for ragged lists, SettingsError for text, complex numbers, NaN or infinity.
    """
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        raise SettingsError(f"{name} must hold real numbers, but holds {array.dtype}; convert it first")
    if array.dtype not in (_SINGLE, _DOUBLE):
        array = array.astype(np.float64)
    if not all_finite(array):
        where = np.unravel_index(int(np.argmin(np.isfinite(array))), array.shape)
        position = [int(index) for index in where]
        raise SettingsError(f"{name} holds {array[where]} at {position}; every number must be finite: replace it")
    return array


def as_array(name: str, values: ArrayLike) -> Array:
    """`values` as an array. Raises: ShapeError for ragged lists."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ShapeError(f"{name} must be a rectangular array of numbers, but its rows differ in length") from error


def is_possible_shape(shape: Sequence[int], itemsize: int) -> bool:
    """Whether NumPy can make an array of this shape, whose empty axes do not excuse the others, in at most 8 axes.

    >>> is_possible_shape((0, 2**62), 4), is_possible_shape((0, 2**60), 4)
    (False, True)
    """
    return len(shape) <= MAX_AXES and math.prod(size or 1 for size in shape) * itemsize < 2**63


def typed_number(text: str) -> float:
    """The number that was typed, NaN for any other text; `float` alone would take 1_0 and the digits of every script.

    >>> typed_number("-2e1"), typed_number("1_0"), typed_number("ten")
    (-20.0, nan, nan)
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def has_half_character(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no file and no page can hold."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def all_finite(array: Array) -> bool:
    """Whether no number is NaN or infinite.

    A sum of squares is finite only if every number is, and takes half the time of looking at each. Where it overflows
    it settles nothing.
    """
    return math.isfinite(np.vdot(array, array)) or bool(np.isfinite(array).all())


def as_sequence(name: str, values: ArrayLike) -> Array:
    """`values` as (batch, tokens, features); two axes mean a batch of one."""
    array = as_numbers(name, values)
    if array.ndim not in (2, 3):
        raise ShapeError(
            f"{name} must have shape (tokens, features) or (batch, tokens, features), but has shape {array.shape}"
        )
    if 0 in array.shape:
        raise ShapeError(f"{name} has shape {array.shape}, which holds no number; give at least one token and feature")
    return array[np.newaxis] if array.ndim == 2 else array


def as_mask(mask: ArrayLike | None, shape: tuple[int, ...]) -> Array | None:
    """A boolean mask, True = may attend, that broadcasts to `shape` = (batch, heads, queries, keys)."""
    if mask is None:
        return None
    array = as_array("mask", mask)
    if array.dtype != np.bool_:
        raise SettingsError(
            f"mask must be bool (True = may attend), but is {array.dtype}; write mask > 0, or pass numbers as bias"
        )
    return _fits("mask", array.copy(), shape)


def as_scores(name: str, values: ArrayLike) -> Array:
    """`values` as an array of finite numbers and -inf, which hides a key."""
    array = as_array(name, values)
    if array.dtype.kind not in "iuf":
        raise SettingsError(f"{name} must hold numbers, but is {array.dtype}; pass bools as mask")
    if np.isnan(array).any() or np.isposinf(array).any():
        raise SettingsError(f"{name} may hold finite numbers and -inf, but holds NaN or +inf; replace them")
    return array


def as_bias(bias: ArrayLike | None, shape: tuple[int, ...], dtype: type[np.floating[Any]]) -> Array | None:
    """An additive bias of finite numbers and -inf that broadcasts to `shape` = (batch, heads, queries, keys)."""
    if bias is None:
        return None
    array = as_scores("bias", bias)
    converted = array.astype(dtype)
    if (np.isinf(converted) != np.isinf(array)).any():
        raise too_large(dtype)
    return _fits("bias", converted, shape)


def _fits(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    sizes = array.shape
    if len(sizes) > len(shape) or any(a not in (1, b) for a, b in zip(sizes[::-1], shape[::-1], strict=False)):
        raise ShapeError(f"{name} of shape {sizes} does not broadcast to (batch, heads, queries, keys) = {shape}")
    return array


def score_scale(scale: float | None, d_k: int) -> float:
    """The factor on the scores: `scale` itself, or 1/√d_k when None."""
    if scale is None:
        return 1.0 / math.sqrt(d_k)
    if not is_finite_number(scale):
        raise SettingsError(f"scale is {scale!r} but must be a finite number, or None for 1/sqrt(d_k)")
    return float(scale)


def check_softcap(softcap: float | None, dtype: type[np.floating[Any]]) -> None:
    """A soft cap is a finite number above 0 within the range of its type, or None."""
    if softcap is None:
        return
    if not is_finite_number(softcap) or softcap <= 0:
        raise SettingsError(f"softcap is {softcap!r} but must be a finite number above 0, or None for no cap")
    limits = np.finfo(dtype)
    if not float(limits.tiny) <= softcap <= float(limits.max):
        raise SettingsError(f"softcap is {softcap!r}, which {limits.dtype.name} cannot hold; choose a number nearer 1")


def check_switch(name: str, value: object) -> None:
    """A switch is True or False; a word such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise SettingsError(f"{name} is {value!r} but must be True or False")


def is_finite_number(value: object) -> TypeGuard[float]:
    """Whether `value` is one real number, of Python or NumPy, and neither a bool nor NaN nor infinite."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the range of float
        return False


def check_empty_rows(empty_rows: str) -> None:
    """What a row without any allowed key becomes is "zero" or "nan"."""
    if empty_rows not in ("zero", "nan"):
        raise SettingsError(f"empty_rows is {empty_rows!r} but must be 'zero', or 'nan' to do as PyTorch does")


def whole_number(name: str, value: object, low: float = -math.inf, high: int | None = None) -> int:
    """`value` as an int within low..high, both included."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise SettingsError(f"{name} is {value!r} but must be a whole number")
    if value < low or (high is not None and value > high):
        limits = f"at least {low}" if high is None else f"from {low} to {high}"
        raise SettingsError(f"{name} is {value} but must be {limits}")
    return int(value)


def divisors(number: int) -> list[int]:
    """All whole numbers that divide `number`, in increasing order.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    return [d for d in range(1, number + 1) if number % d == 0]


def nearest_divisors(number: int, wish: int) -> list[int]:
    """The divisors of `number` next to `wish`: the largest below it and the smallest above it.

    >>> nearest_divisors(64, 5)
    [4, 8]
    """
    all_of_them = divisors(number)
    below = [d for d in all_of_them if d <= wish]
    above = [d for d in all_of_them if d >= wish]
    return sorted({*below[-1:], *above[:1]})


def head_width(d_model: int, n_heads: int) -> int:
    """d_model / n_heads, the usual width of one head.

    Raises: SettingsError with the nearest divisors when the heads do not divide the width.
    """
    if d_model % n_heads:
        choices = " or ".join(map(str, nearest_divisors(d_model, n_heads)))
        raise SettingsError(
            f"n_heads is {n_heads} but must divide d_model {d_model}: try {choices}, or give d_k (and d_v)"
        )
    return d_model // n_heads


def too_large(dtype: Any) -> SettingsError:
    """The error for numbers that left the range of their type on the way."""
    remedy = "smaller inputs or float64" if dtype == np.float32 else "smaller inputs"
    return SettingsError(f"the numbers grew beyond the range of {np.dtype(dtype).name} on the way; use {remedy}")


def check_hidden(masked: Array, hiding: Array) -> None:
    """A masked score is -inf only where -inf was added, never because score and bias together fell out of range."""
    if (np.isneginf(masked) > np.isneginf(hiding)).any():
        raise too_large(masked.dtype)


def check_range(array: Array) -> None:
    """What was computed from finite numbers is finite, unless the numbers grew too large."""
    if not all_finite(array):
        raise too_large(array.dtype)
