"""The checks of the weights of one layer against each other, and how wide its heads are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_numbers, whole_number
from .errors import SettingsError, ShapeError, short_repr


def check_weights(weights: Mapping[str, Array], n_heads: int, groups: int) -> None:
    """Check the matrices and biases that a layer has, by their names, against each other.

    Raises: ShapeError, SettingsError where heads cannot share the key/value heads evenly.
    """
    for name, array in weights.items():
        if name.startswith("w_") and (array.ndim != 2 or 0 in array.shape):
            raise ShapeError(
                f"{name} must be a matrix of shape (features in, features out), but has"
                f" {array.shape}"
            )
    if n_heads % groups:
        raise SettingsError(uneven_sharing(n_heads, groups))
    for name, heads in (("w_q", n_heads), ("w_k", groups), ("w_v", groups)):
        if weights[name].shape[1] % heads:
            raise ShapeError(
                f"{name} has {weights[name].shape[1]} columns but its {heads} heads need a multiple"
                f" of {heads}"
            )
    _check_widths(weights, n_heads, groups)


def _check_widths(weights: Mapping[str, Array], n_heads: int, groups: int) -> None:
    """A key is as wide as a query, keys and values read one memory, W_O reads all heads; a bias is
    as wide as its matrix, b_o without W_O as all heads side by side.
    """
    d_k = weights["w_q"].shape[1] // n_heads
    d_memory, key_columns = weights["w_k"].shape
    if key_columns != d_k * groups:
        raise ShapeError(
            f"a query has width {d_k} but a key has width {key_columns / groups:g}; make w_q"
            " and w_k agree"
        )
    if d_memory != weights["w_v"].shape[0]:
        raise ShapeError(
            f"w_k reads {d_memory} features but w_v reads {weights['w_v'].shape[0]}; both read the"
            " memory"
        )
    joined = n_heads * (weights["w_v"].shape[1] // groups)
    if "w_o" in weights and weights["w_o"].shape[0] != joined:
        raise ShapeError(
            f"w_o has {weights['w_o'].shape[0]} rows but must have n_heads * d_v = {joined}"
        )
    for letter in "qkvo":
        bias, matrix = weights.get(f"b_{letter}"), weights.get(f"w_{letter}")
        width = joined if matrix is None else matrix.shape[1]
        if bias is not None and bias.shape != (width,):
            raise ShapeError(
                f"b_{letter} must have shape ({width},) like the columns of w_{letter}:"
                f" {bias.shape}"
            )


def joined_heads(
    heads: Iterable[tuple[ArrayLike, ArrayLike, ArrayLike]],
) -> tuple[int, list[Array]]:
    """How many heads there are, and their matrices w_q, w_k and w_v side by side.

    Raises: ShapeError, SettingsError for anything but a list of three matrices per head.
    """
    try:
        one_by_one = iter(heads)
    except TypeError as error:
        raise SettingsError(
            f"heads is {short_repr(heads)} but must be a list of (w_q, w_k, w_v)"
        ) from error
    given = list(one_by_one)
    if not given or not all(_is_triple(head) for head in given):
        raise ShapeError("heads must hold one (w_q, w_k, w_v) for each head, and at least one head")
    triples = [
        tuple(as_numbers(f"head {h}", matrix) for matrix in triple)
        for h, triple in enumerate(given)
    ]
    for name, matrices in zip(("w_q", "w_k", "w_v"), zip(*triples, strict=True), strict=True):
        shape = matrices[0].shape
        if len(shape) != 2 or any(matrix.shape != shape for matrix in matrices):
            shapes = ", ".join(str(matrix.shape) for matrix in matrices)
            raise ShapeError(
                f"{name} must be a matrix of the same shape in every head, but has shapes {shapes}"
            )
    return len(triples), [np.hstack(matrices) for matrices in zip(*triples, strict=True)]


def _is_triple(head: object) -> bool:
    if not isinstance(head, (tuple, list, np.ndarray)) or getattr(head, "ndim", 1) == 0:
        return False
    return len(head) == 3


def divisors(number: int) -> list[int]:
    """All whole numbers that divide `number`, in increasing order.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    whole_number("number", number, 1, 10**12)  # a million divisions
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def nearest_divisors(number: int, wanted: int) -> list[int]:
    """The divisors of `number` next to `wanted`: the largest below it and the smallest above it.

    >>> nearest_divisors(64, 5)
    [4, 8]
    """
    every = divisors(number)
    return sorted({*[d for d in every if d <= wanted][-1:], *[d for d in every if d >= wanted][:1]})


def head_width(d_model: int, n_heads: int, or_else: str = "") -> int:
    """d_model / n_heads, the usual width of one head.

    or_else: another remedy, which ends the sentence.
    Raises: SettingsError with the nearest divisors when the heads do not divide the width.
    """
    if d_model % n_heads:
        choices = " or ".join(map(str, nearest_divisors(d_model, n_heads)))
        raise SettingsError(
            f"n_heads is {n_heads} but must divide d_model {d_model}: try {choices}{or_else}"
        )
    return d_model // n_heads


def head_widths(d_model: int, n_heads: int, d_k: int | None, d_v: int | None) -> tuple[int, int]:
    """d_k and d_v; a missing one is d_model / n_heads, or equals the other where that is not a
    whole number.
    """
    for name, size in (("d_model", d_model), ("n_heads", n_heads), ("d_k", d_k), ("d_v", d_v)):
        if size is not None or name in ("d_model", "n_heads"):
            whole_number(name, size, 1)
    if d_model % n_heads == 0:
        return d_k or d_model // n_heads, d_v or d_model // n_heads
    if d_k is None and d_v is None:
        head_width(d_model, n_heads, ", or give d_k (and d_v)")
    return d_k or d_v or 0, d_v or d_k or 0


def uneven_sharing(n_heads: int, n_kv_heads: int) -> str:
    """The error text for query heads that cannot share the key/value heads evenly."""
    return (
        f"{n_heads} query heads cannot share {n_kv_heads} key/value heads evenly; choose a divisor"
    )
