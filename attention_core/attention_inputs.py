"""What `attend` and `scaled_dot_product_attention` are given: their arrays, checked against each
other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_numbers, check_switch, short_repr
from .errors import SettingsError, ShapeError
from .option_checks import engine_dtype, uneven_sharing
from .projections import Projections


def prepared(
    x: ArrayLike, memory: ArrayLike | None, p: Projections
) -> tuple[Array, Array, Projections]:
    """Copies of x and of the memory, which is x where none is given, and the weights, all of
    one number type.
    """
    x_BTD, memory_BSM = _sequences(x, memory, p)
    dtype = engine_dtype(x_BTD, memory_BSM, p.w_q)
    inputs = np.array(x_BTD, dtype=dtype)
    source = inputs if memory is None else np.array(memory_BSM, dtype=dtype)
    return inputs, source, p if p.dtype == dtype else p.astype(dtype)


def _sequences(x: ArrayLike, memory: ArrayLike | None, p: Projections) -> tuple[Array, Array]:
    """x and the memory as (batch, tokens, features), checked against each other and the weights."""
    if not isinstance(p, Projections):
        raise SettingsError(
            f"projections is {short_repr(p)} but must be Projections, such as Projections.random"
        )
    x_BTD = _sequence("x", x)
    memory_BSM = x_BTD if memory is None else _sequence("memory", memory)
    if x_BTD.shape[0] != memory_BSM.shape[0]:
        raise ShapeError(
            f"x holds {x_BTD.shape[0]} sequences but memory holds {memory_BSM.shape[0]}; make them"
            " equal"
        )
    for name, sequence, matrix, expected in (
        ("x", x_BTD, "w_q", p.d_model),
        ("memory", memory_BSM, "w_k", p.d_memory),
    ):
        if sequence.shape[2] != expected:
            raise ShapeError(
                f"{matrix} reads {expected} features per token but {name} has {sequence.shape[2]};"
                " make them agree"
            )
    return x_BTD, memory_BSM


def _sequence(name: str, values: ArrayLike) -> Array:
    """`values` as (batch, tokens, features); two axes mean a batch of one."""
    array = as_numbers(name, values)
    if array.ndim not in (2, 3):
        raise ShapeError(
            f"{name} must have shape (tokens, features) or (batch, tokens, features), but has shape"
            f" {array.shape}"
        )
    if 0 in array.shape:
        raise ShapeError(
            f"{name} has shape {array.shape}, which holds no number; give at least one token and"
            " feature"
        )
    return array[np.newaxis] if array.ndim == 2 else array


def as_heads(
    query_heads: ArrayLike, key_heads: ArrayLike, value_heads: ArrayLike
) -> tuple[Array, Array, Array]:
    """Query, key and value heads of one dtype, checked against each other."""
    given = {"query_heads": query_heads, "key_heads": key_heads, "value_heads": value_heads}
    query, key, value = (as_numbers(name, heads) for name, heads in given.items())
    for name, heads in zip(given, (query, key, value), strict=True):
        if heads.ndim != 4 or 0 in heads.shape:
            raise ShapeError(
                f"{name} must have shape (batch, heads, tokens, features), none 0, but has"
                f" {heads.shape}"
            )
    if not query.shape[0] == key.shape[0] == value.shape[0]:
        raise ShapeError(
            f"the batch sizes {query.shape[0]}, {key.shape[0]}, {value.shape[0]} differ; make them"
            " equal"
        )
    if query.shape[3] != key.shape[3]:
        raise ShapeError(
            f"a query has width {query.shape[3]} but a key has width {key.shape[3]}; make them"
            " equal"
        )
    if key.shape[1:3] != value.shape[1:3]:
        raise ShapeError(
            f"keys have (heads, tokens) {key.shape[1:3]} but values {value.shape[1:3]}; make them"
            " equal"
        )
    if query.shape[1] % key.shape[1]:
        raise ShapeError(uneven_sharing(query.shape[1], key.shape[1]))
    dtype = engine_dtype(query, key, value)
    return (
        query.astype(dtype, copy=False),
        key.astype(dtype, copy=False),
        value.astype(dtype, copy=False),
    )


def residual_connection(inputs_BTD: Array, p: Projections, residual: bool) -> Array | None:
    """The inputs where they are added to the output, which must then be as wide."""
    check_switch("residual", residual)
    if residual and p.d_out != inputs_BTD.shape[2]:
        raise SettingsError(
            f"residual adds the inputs of width {inputs_BTD.shape[2]} to an output of width"
            f" {p.d_out}: they must agree"
        )
    return inputs_BTD if residual else None
