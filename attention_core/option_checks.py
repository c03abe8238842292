"""What the options of `attend` accept: masks, biases, a soft cap, what a row without keys
becomes; and number types.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .checks import (
    SINGLE,
    Array,
    all_finite,
    as_array,
    check_switch,
    is_finite_number,
    score_scale,
    short_repr,
    too_large,
)
from .errors import SettingsError, ShapeError
from .limits import check_scores
from .masks import causal_mask


class Options(NamedTuple):
    """How scores become probabilities: the options of `attend`, checked. allowed: mask and
    causal mask in one.
    """

    allowed: Array | None
    bias: Array | None
    scale: float
    softcap: float | None
    empty_rows: str


def checked_options(
    shape: tuple[int, int, int, int],
    d_k: int,
    dtype: type[np.floating[Any]],
    mask: ArrayLike | None,
    bias: ArrayLike | None,
    scale: float | None,
    causal: bool,
    softcap: float | None,
    empty_rows: str,
) -> Options:
    """Check the options of a call whose scores have `shape` = (batch, heads, queries, keys)."""
    check_scores(*shape)
    check_switch("causal", causal)
    allowed = as_mask(mask, shape)
    if causal:
        past = causal_mask(*shape[2:])
        allowed = past if allowed is None else allowed & past
    check_softcap(softcap, dtype)
    check_empty_rows(empty_rows)
    addend = as_bias(bias, shape, dtype)
    return Options(allowed, addend, score_scale(scale, d_k), softcap, empty_rows)


def as_mask(mask: ArrayLike | None, shape: tuple[int, ...]) -> Array | None:
    """A boolean mask, True = may attend, that broadcasts to `shape` = (batch, heads, queries,
    keys).
    """
    if mask is None:
        return None
    array = as_array("mask", mask)
    if array.dtype != np.bool_:
        raise SettingsError(
            f"mask must be bool (True = may attend), but is {array.dtype}; write mask > 0, or pass"
            " numbers as bias"
        )
    return _fits("mask", array.copy(), shape)


def as_scores(name: str, values: ArrayLike) -> Array:
    """`values` as an array of finite numbers and -inf, which hides a key."""
    array = as_array(name, values)
    if array.dtype.kind not in "iuf":
        raise SettingsError(f"{name} must hold numbers, but is {array.dtype}; pass bools as mask")
    if np.isnan(array).any() or np.isposinf(array).any():
        raise SettingsError(
            f"{name} may hold finite numbers and -inf, but holds NaN or +inf; replace them"
        )
    return array


def as_bias(
    bias: ArrayLike | None, shape: tuple[int, ...], dtype: type[np.floating[Any]]
) -> Array | None:
    """An additive bias of finite numbers and -inf that broadcasts to `shape` = (batch, heads,
    queries, keys).
    """
    if bias is None:
        return None
    return _fits("bias", converted(as_scores("bias", bias), dtype), shape)


def converted(scores: Array, dtype: type[np.floating[Any]]) -> Array:
    """A copy of the scores in another type. Raises: SettingsError for a finite number that the
    type cannot hold.
    """
    with np.errstate(over="ignore"):
        copy = scores.astype(dtype)
    if (np.isinf(copy) != np.isinf(scores)).any():
        raise too_large(dtype)
    return copy


def engine_dtype(*arrays: Array | None) -> type[np.floating[Any]]:
    """float32 when every array is float32, else float64."""
    given = {array.dtype for array in arrays if array is not None}
    return np.float32 if given == {SINGLE} else np.float64


def float_type(dtype: DTypeLike) -> np.dtype[np.floating[Any]]:
    """The type that a name or class stands for: float32 or float64."""
    try:
        given: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise SettingsError(
            f"dtype is {short_repr(dtype)} but must be float32 or float64"
        ) from error
    if given not in (np.float32, np.float64):
        raise SettingsError(f"dtype is {given.name} but must be float32 or float64")
    return given


def in_type(name: str, array: Array, dtype: np.dtype[np.floating[Any]]) -> Array:
    """A copy of finite numbers in another type. Raises: SettingsError for a number that the
    type cannot hold.
    """
    with np.errstate(over="ignore"):
        copy = array.astype(dtype)
    if not all_finite(copy):
        largest = float(np.abs(array).max())
        raise SettingsError(
            f"{name} holds {largest:g}, which {dtype.name} cannot hold; use float64 or smaller"
            " numbers"
        )
    return copy


def _fits(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    if not broadcasts(array.shape, shape):
        raise ShapeError(
            f"{name} of shape {array.shape} does not broadcast to (batch, heads, queries, keys) ="
            f" {shape}"
        )
    return array


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether NumPy stretches an array of a shape to the target, and the target to no other
    shape.
    """
    return len(shape) <= len(target) and all(
        a in (1, b) for a, b in zip(shape[::-1], target[::-1], strict=False)
    )


def check_softcap(softcap: float | None, dtype: type[np.floating[Any]]) -> None:
    """A soft cap is a finite number above 0 within the range of its type, or None."""
    if softcap is None:
        return
    if not is_finite_number(softcap) or softcap <= 0:
        raise SettingsError(
            f"softcap is {short_repr(softcap)} but must be a finite number above 0, or None for"
            " no cap"
        )
    limits = np.finfo(dtype)
    if not float(limits.tiny) <= softcap <= float(limits.max):
        raise SettingsError(
            f"softcap is {softcap!r}, which {limits.dtype.name} cannot hold; choose a number"
            " nearer 1"
        )


def check_empty_rows(empty_rows: str) -> None:
    """What a row without any allowed key becomes is "zero" or "nan"."""
    if not isinstance(empty_rows, str) or empty_rows not in ("zero", "nan"):
        raise SettingsError(
            f"empty_rows is {short_repr(empty_rows)} but must be 'zero', or 'nan' to do as"
            " PyTorch does"
        )


def check_hidden(masked: Array, hiding: Array) -> None:
    """A masked score is -inf only where -inf was added, never because score and bias together
    fell out of range.
    """
    if (np.isneginf(masked) > np.isneginf(hiding)).any():
        raise too_large(masked.dtype)


def uneven_sharing(n_heads: int, n_kv_heads: int) -> str:
    """What is said where key/value heads cannot be given to as many query heads each."""
    return (
        f"{n_heads} query heads cannot share {n_kv_heads} key/value heads evenly; choose a divisor"
    )
