"""The checks of the weights of one layer against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_numbers, short_repr
from .errors import SettingsError, ShapeError
from .head_widths import uneven_sharing


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
    _check_biases(weights, n_heads, groups)


def _check_widths(weights: Mapping[str, Array], n_heads: int, groups: int) -> None:
    """A key is as wide as a query, keys and values read one memory, W_O reads all heads."""
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


def _check_biases(weights: Mapping[str, Array], n_heads: int, groups: int) -> None:
    """A bias is as wide as its matrix; b_o without W_O as all heads side by side."""
    joined = n_heads * (weights["w_v"].shape[1] // groups)
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
