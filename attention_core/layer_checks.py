"""The options of a call as records, which need no weights, and the checks of what `attend` and
`scaled_dot_product_attention` are given, against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .checks import (
    Array,
    as_array,
    as_numbers,
    as_scores,
    check_choice,
    check_switch,
    is_finite_number,
    number_between,
    score_scale,
)
from .errors import SettingsError, ShapeError, short_repr
from .masks import causal_mask
from .numbers import MAX_SCORES, check_room, engine_dtype, in_type, too_large
from .positions import Rotary, check_even
from .projection_checks import uneven_sharing


def as_sequence(name: str, values: ArrayLike) -> Array:
    """`values` as (batch, tokens, features); two axes mean a batch of one."""
    array = as_numbers(name, values)
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise ShapeError(
            f"{name} has shape {array.shape} but must have (tokens, features) or (batch, tokens,"
            " features), no length 0"
        )
    return array[np.newaxis] if array.ndim == 2 else array


def as_heads(
    query_heads: ArrayLike, key_heads: ArrayLike, value_heads: ArrayLike
) -> tuple[Array, ...]:
    """Query, key and value heads of one dtype, checked against each other."""
    given = {"query_heads": query_heads, "key_heads": key_heads, "value_heads": value_heads}
    query, key, value = (as_numbers(name, heads) for name, heads in given.items())
    for name, heads in zip(given, (query, key, value), strict=True):
        if heads.ndim != 4 or 0 in heads.shape:
            raise ShapeError(
                f"{name} has shape {heads.shape} but must have (batch, heads, tokens, features),"
                " no length 0"
            )
    q, k, v = query.shape, key.shape, value.shape
    if not q[0] == k[0] == v[0]:
        raise ShapeError(f"the batch sizes are {q[0]}, {k[0]}, {v[0]}; make them equal")
    if q[3] != k[3]:
        raise ShapeError(f"a query has width {q[3]} but a key {k[3]}; make them equal")
    if k[1:3] != v[1:3]:
        raise ShapeError(f"keys have (heads, tokens) {k[1:3]} but values {v[1:3]}; make them equal")
    if q[1] % k[1]:
        raise ShapeError(uneven_sharing(q[1], k[1]))
    dtype = engine_dtype(query, key, value)
    return tuple(heads.astype(dtype, copy=False) for heads in (query, key, value))


@dataclass(frozen=True, eq=False)
class HeadNorm:
    """QK-norm: every query and key of a head is divided by its root mean square, then each feature
    is multiplied by a gain.

    Shapes: gains (K,), or one number for all features. epsilon is added to the mean of the squares,
    so that a vector of zeros stays one. Raises: ShapeError, SettingsError.
    Source: Henry et al. 2020 (QK-norm); with a gain per feature: Qwen3 report (2025), section 2.
    """

    query_gain: ArrayLike = 1.0
    key_gain: ArrayLike = 1.0
    epsilon: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("query_gain", "key_gain"):
            gain = as_numbers(name, getattr(self, name)).copy()
            if gain.ndim > 1:
                raise ShapeError(
                    f"{name} has shape {gain.shape} but must be one number, or one per feature of a"
                    " head"
                )
            gain.setflags(write=False)
            object.__setattr__(self, name, gain)
        number_between("epsilon", self.epsilon, 1e-12, 1.0)


class Options(NamedTuple):
    """How queries and keys become probabilities: the options of `attend`, checked. allowed: mask
    and causal mask in one. Shapes: gains of head_norm (K,), sink (H,).
    """

    allowed: Array | None
    bias: Array | None
    scale: float
    softcap: float | None
    empty_rows: str
    rotary: Rotary | None = None
    head_norm: HeadNorm | None = None
    sink: Array | None = None


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
    sink: ArrayLike | None = None,
    rotary: Rotary | None = None,
    head_norm: HeadNorm | None = None,
) -> Options:
    """Check the options of a call whose scores have `shape` = (batch, heads, queries, keys)."""
    n_batch, n_heads, n_queries, n_keys = shape
    check_room(MAX_SCORES, batch=n_batch, heads=n_heads, queries=n_queries, keys=n_keys)
    check_switch("causal", causal)
    check_choice("empty_rows", empty_rows, ("zero", "nan"))
    allowed = None if mask is None else _as_mask(mask, shape)
    if causal:
        past = causal_mask(*shape[2:])
        allowed = past if allowed is None else allowed & past
    if softcap is not None:
        _check_softcap(softcap, dtype)
    if bias is not None:
        bias = _fits("bias", in_type("bias", as_scores("bias", bias), dtype), shape)
    factor = score_scale(scale, d_k)
    if rotary is not None:
        _check_record("rotary", rotary, Rotary)
        check_even(d_k)
    if head_norm is not None:
        head_norm = _gains(head_norm, d_k, dtype)
    if sink is not None:
        sink = _per_head("sink", sink, shape[1], dtype)
    return Options(allowed, bias, factor, softcap, empty_rows, rotary, head_norm, sink)


def _check_record(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise SettingsError(
            f"{name} is {short_repr(value)} but must be {kind.__name__}(...), or None"
        )


def _gains(head_norm: HeadNorm, d_k: int, dtype: type[np.floating[Any]]) -> HeadNorm:
    """The same with one gain per feature."""
    _check_record("head_norm", head_norm, HeadNorm)
    gains = {}
    for name in ("query_gain", "key_gain"):
        gain = in_type(name, np.asarray(getattr(head_norm, name)), dtype)
        if gain.shape not in ((), (d_k,)):
            raise ShapeError(
                f"{name} has {gain.size} numbers but a query {d_k} features: give one for each, or"
                " one for all"
            )
        gains[name] = np.broadcast_to(gain, (d_k,))
    return HeadNorm(**gains, epsilon=head_norm.epsilon)


def _per_head(name: str, values: ArrayLike, n_heads: int, dtype: type[np.floating[Any]]) -> Array:
    """One number for each head."""
    array = in_type(name, as_numbers(name, values), dtype)
    if array.shape not in ((), (n_heads,)):
        raise ShapeError(
            f"{name} has shape {array.shape} but must be one number for each of the {n_heads}"
            " heads, or one for all"
        )
    array = np.array(np.broadcast_to(array, (n_heads,)))
    array.setflags(write=False)
    return array


def _as_mask(mask: ArrayLike, shape: tuple[int, ...]) -> Array:
    """True = may attend."""
    array = as_array("mask", mask)
    placed = _placed("mask", array.shape, shape)
    if array.dtype != np.bool_:
        # Where numbers hide, by -inf or by one far below 0, they are added to the scores.
        if array.dtype.kind == "f" and (array < 0).any() and not (array > 0).any():
            remedy = f"this one holds numbers to add, so write bias={placed}"
        else:
            positive = _placed("(mask > 0)", array.shape, shape)
            remedy = (
                f"if 1 means that a query may attend, write mask={positive}; if its numbers are to"
                f" be added, write bias={placed}"
            )
        raise SettingsError(f"mask is {array.dtype} but must be bool (True = may attend): {remedy}")
    if placed != "mask":
        raise ShapeError(
            f"mask has shape {array.shape} but must broadcast to {shape}: write mask={placed}, or"
            f" mask=~{placed} for a mask of PyTorch, in which True hides"
        )
    return _fits("mask", array.copy(), shape)


def _placed(written: str, given: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """How a mask of PyTorch's modules is brought to the axes of the scores: one row for each
    sequence, or one matrix for each head of each sequence.

    >>> _placed("mask", (2, 7), (2, 3, 5, 7)), _placed("mask", (5, 7), (2, 3, 5, 7))
    ('mask[:, None, None, :]', 'mask')
    """
    n_batch, n_heads, n_queries, n_keys = shape
    if given == (n_batch, n_keys) != (n_queries, n_keys):
        return f"{written}[:, None, None, :]"
    if given == (n_batch * n_heads, n_queries, n_keys) != shape[1:]:
        return f"{written}.reshape{shape}"
    return written


def _fits(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    if not broadcasts(array.shape, shape):
        placed = _placed(name, array.shape, shape)
        remedy = "" if placed == name else f": write {name}={placed}"
        raise ShapeError(
            f"{name} has shape {array.shape} but must broadcast to {shape} (batch, heads, queries,"
            f" keys){remedy}"
        )
    return array


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether NumPy stretches an array of a shape to the target, and the target to no other
    shape.
    """
    return len(shape) <= len(target) and all(
        a in (1, b) for a, b in zip(shape[::-1], target[::-1], strict=False)
    )


def _check_softcap(softcap: float, dtype: type[np.floating[Any]]) -> None:
    """A soft cap lies above 0 and within the range of its type."""
    if not is_finite_number(softcap) or softcap <= 0:
        raise SettingsError(
            f"softcap is {short_repr(softcap)} but must be a finite number above 0, or None"
        )
    limits = np.finfo(dtype)
    if not float(limits.tiny) <= softcap <= float(limits.max):
        raise SettingsError(
            f"softcap is {softcap!r}, which {limits.dtype.name} cannot hold: choose one nearer 1"
        )


def check_hidden(masked: Array, hiding: Array) -> None:
    """A masked score is -inf only where -inf was added, never because score and bias together
    fell out of range.
    """
    if (np.isneginf(masked) > np.isneginf(hiding)).any():
        raise too_large(masked.dtype)
