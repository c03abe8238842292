"""The checks of single arguments, each with a sentence that names it and says what to do."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sized
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .errors import SettingsError, ShapeError, TextError, short_repr
from .numbers import DOUBLE, SINGLE, all_finite
from .numbers import Array as Array

MAX_WHOLE = 2**64 - 1
# To Python and NumPy a bool and a length of time are whole numbers; here neither counts as one.
NOT_A_NUMBER = (bool, np.timedelta64)
NUMBER_TYPES = (int, float, np.integer, np.floating)
MAX_ARRAY_CELLS = 2**32  # 32 GB as float64; a view of one number may claim more


def as_numbers(name: str, values: ArrayLike) -> Array:
    """`values` as an array of finite numbers; float32 stays, everything else becomes float64.

    Raises: ShapeError for ragged lists, SettingsError for text, complex numbers, NaN or infinity.
    """
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        raise SettingsError(
            f"{name} must hold real numbers, but holds {array.dtype}; convert it first"
        )
    if array.dtype not in (SINGLE, DOUBLE):
        with np.errstate(over="ignore"):  # numbers beyond float64 are refused below
            array = array.astype(np.float64)
    if not all_finite(array):
        where = np.unravel_index(int(np.argmin(np.isfinite(array))), array.shape)
        position = [int(index) for index in where]
        raise SettingsError(
            f"{name} holds {array[where]} at {position}; every number must be finite: replace it"
        )
    return array


def as_array(name: str, values: ArrayLike) -> Array:
    """`values` as an array. Raises: ShapeError, SettingsError for what NumPy cannot read whole."""
    if type(values) is np.ndarray and values.size <= MAX_ARRAY_CELLS:
        return values
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise SettingsError(
            f"{name} is an array with masked cells, which would count as numbers: fill it first"
        )
    try:
        array = np.asarray(_of_tensor(values))
    except ValueError as error:
        raise ShapeError(
            f"{name} must be a rectangular array of numbers, but its rows differ in length"
        ) from error
    except (RuntimeError, TypeError) as error:
        raise SettingsError(
            f"{name} must be an array of numbers, but NumPy cannot read this"
            f" {type(values).__name__}; make it an array of float32 first"
        ) from error
    if array.size > MAX_ARRAY_CELLS:
        raise ShapeError(
            f"{name} has shape {array.shape}, more cells than any memory holds; give a smaller"
            " array"
        )
    return array


def _of_tensor(values: Any) -> Any:
    """A PyTorch tensor as NumPy can read it: without gradient, on this machine, dense, and no
    bfloat16, which NumPy does not have. Anything else stays.
    """
    if not hasattr(values, "detach"):
        return values
    values = values.detach().cpu()
    if getattr(values, "is_sparse", False):
        values = values.to_dense()
    return values.float() if "bfloat16" in str(getattr(values, "dtype", "")) else values


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


def as_list(name: str, values: Any) -> list[Any]:
    """A list, tuple, set, range or array as a list; a text does not count as one."""
    try:
        if isinstance(values, Sized) and not isinstance(values, (str, bytes, Mapping)):
            return list(values)  # type: ignore[call-overload, no-any-return]
    except TypeError:  # an array without axes
        pass
    raise SettingsError(f"{name} is {short_repr(values)} but must be a list")


def as_labels(name: str, values: Any) -> tuple[str, ...]:
    """`values` as a tuple of texts. Raises: SettingsError for anything but a list, TextError for
    labels that are not texts.
    """
    labels = tuple(as_list(name, values))
    for label in labels:
        check_text(name, label)
    return labels


def score_scale(scale: float | None, d_k: int) -> float:
    """The factor on the scores: `scale` itself, or 1/√d_k when None."""
    if scale is None:
        return 1.0 / math.sqrt(d_k)
    if not is_finite_number(scale):
        raise SettingsError(
            f"scale is {short_repr(scale)} but must be a finite number, or None for 1/sqrt(d_k)"
        )
    return float(scale)


def check_switch(name: str, value: object) -> None:
    """A switch is True or False; a word such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise SettingsError(f"{name} is {short_repr(value)} but must be True or False")


def is_finite_number(value: object) -> TypeGuard[float]:
    """Whether `value` is one finite real number, of Python or NumPy; a bool is not."""
    if isinstance(value, NOT_A_NUMBER) or not isinstance(value, NUMBER_TYPES):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the range of float
        return False


def whole_number(name: str, value: object, low: float = -math.inf, high: int | None = None) -> int:
    """`value` as an int within low..high, both included."""
    if isinstance(value, NOT_A_NUMBER) or not isinstance(value, (int, np.integer)):
        raise SettingsError(f"{name} is {short_repr(value)} but must be a whole number")
    most = MAX_WHOLE if high is None else high
    if not max(low, -MAX_WHOLE) <= value <= most:
        limits = f"at least {low}" if high is None and value < low else f"from {low} to {most}"
        raise SettingsError(f"{name} is {short_repr(int(value))} but must be {limits}")
    return int(value)


def seed_number(seed: object) -> int:
    """`seed` as an int from 0 to 2^64 - 1."""
    return whole_number("seed", seed, 0, MAX_WHOLE)


def number_between(
    name: str, value: object, low: float = -math.inf, high: float = math.inf
) -> float:
    """`value` as a finite float from low to high, both included."""
    if is_finite_number(value) and low <= value <= high:
        return float(value)
    limits = f"number from {low:g}" + (f" to {high:g}" if math.isfinite(high) else "")
    wanted = "finite number" if low == -math.inf else limits
    raise SettingsError(f"{name} is {short_repr(value)} but must be a {wanted}")


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """`value` itself when it is one of the names to choose from."""
    if not isinstance(value, str) or value not in choices:
        raise SettingsError(
            f"{name} is {short_repr(value)} but must be one of {', '.join(choices)}"
        )
    return value


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


def check_text(name: str, value: object) -> None:
    """A text is a str."""
    if not isinstance(value, str):
        raise TextError(f"{name} is {short_repr(value)} but must be a text")
