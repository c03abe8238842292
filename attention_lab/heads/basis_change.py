"""What the weights of a head mean together and not alone: other numbers, the same layer.

A head's queries and keys meet only in their dot products, its values and its rows of W_O only in
their product. So either pair can be written in another basis: W_Q R with W_K R⁻ᵀ, W_V T with T⁻¹
W_O.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array, as_stack
from attention_core.errors import SettingsError, ShapeError
from attention_core.formulas import merge_heads, split_heads
from attention_core.initialisation import Stream, generator, orthonormal_columns
from attention_core.projections import Projections


@dataclass(frozen=True, eq=False)
class Gauge:
    """A change of basis for each key/value head: R for queries and keys, T for values. Shapes:
    (G, K, K), (G, V, V).
    """

    query_key: Array
    value: Array

    def __post_init__(self) -> None:
        for name in ("query_key", "value"):
            object.__setattr__(self, name, as_stack(name, getattr(self, name), 3, exactly=True))


def random_gauge(projections: Projections, seed: int = 0) -> Gauge:
    """A rotation, a stretch of each direction by 1/2 to 2, and another rotation, for each
    key/value head.
    """
    rng = generator(seed, Stream.BASES)
    of_widths = [
        np.stack([_invertible(rng, width) for _ in range(projections.groups)])
        for width in (projections.d_k, projections.d_v)
    ]
    return Gauge(*of_widths)


def _invertible(rng: np.random.Generator, width: int) -> Array:
    stretch_K = 2.0 ** rng.uniform(-1, 1, width)
    matrix_KK: Array = (orthonormal_columns(rng, width, width) * stretch_K) @ orthonormal_columns(
        rng, width, width
    )
    return matrix_KK


def change_gauge(projections: Projections, gauge: Gauge) -> Projections:
    """Other weights for the same layer: W_Q R, W_K R⁻ᵀ, W_V T, T⁻¹ W_O, and their biases alike.

    Heads that share keys and values share R and T. Joined heads without W_O get T⁻¹ as theirs.
    Raises: ShapeError, SettingsError for a matrix without inverse.
    """
    p = projections
    for name, basis, width in (
        ("query_key", gauge.query_key, p.d_k),
        ("value", gauge.value, p.d_v),
    ):
        if basis.shape != (p.groups, width, width):
            raise ShapeError(
                f"{name} has shape {basis.shape} but must have {(p.groups, width, width)}"
            )
    try:
        back_GKK, back_GVV = np.linalg.inv(gauge.query_key), np.linalg.inv(gauge.value)
    except np.linalg.LinAlgError as error:
        raise SettingsError(
            "a change of basis must be invertible, but one of the matrices is singular"
        ) from error
    readers = p.n_heads // p.groups
    changed = replace(
        p,
        w_q=_turned(p.w_q, gauge.query_key.repeat(readers, axis=0)),
        w_k=_turned(p.w_k, back_GKK.swapaxes(-1, -2)),
        w_v=_turned(p.w_v, gauge.value),
        w_o=(back_GVV.repeat(readers, axis=0) @ output_rows(p)).reshape(-1, p.d_out),
        b_q=(
            None
            if p.b_q is None
            else _turned(p.b_q[np.newaxis], gauge.query_key.repeat(readers, axis=0))[0]
        ),
        b_k=None if p.b_k is None else _turned(p.b_k[np.newaxis], back_GKK.swapaxes(-1, -2))[0],
        b_v=None if p.b_v is None else _turned(p.b_v[np.newaxis], gauge.value)[0],
    )
    return changed.astype(p.dtype)


def _turned(weights_DF: Array, basis_HKK: Array) -> Array:
    """Each head's block of columns times its matrix."""
    blocks_HDK = split_heads(weights_DF[np.newaxis], len(basis_HKK))[0]
    turned_DF: Array = merge_heads((blocks_HDK @ basis_HKK)[np.newaxis])[0]
    return turned_DF


def query_key_forms(projections: Projections) -> Array:
    """What decides a head's scores: W_Q W_Kᵀ, the same in every gauge. Its rank is at most d_k.

    Shapes: (H, D, M). Source: Elhage et al. 2021, "A Mathematical Framework for Transformer
    Circuits" (QK circuit).
    """
    p = projections
    query_HDK = split_heads(p.w_q[np.newaxis], p.n_heads)[0]
    key_HMK = split_heads(p.w_k[np.newaxis], p.groups)[0].repeat(p.n_heads // p.groups, axis=0)
    form_HDM: Array = query_HDK @ key_HMK.swapaxes(-1, -2)
    return form_HDM


def value_output_forms(projections: Projections) -> Array:
    """What a head passes on of a token it reads: W_V W_O, the same in every gauge. Its rank is at
    most d_v.

    Shapes: (H, M, O). Source: Elhage et al. 2021, "A Mathematical Framework for Transformer
    Circuits" (OV circuit).
    """
    p = projections
    value_HMV = split_heads(p.w_v[np.newaxis], p.groups)[0].repeat(p.n_heads // p.groups, axis=0)
    form_HMO: Array = value_HMV @ output_rows(p)
    return form_HMO


def output_rows(projections: Projections) -> Array:
    """Each head's block of W_O; of the identity where joined heads have none. Shapes: (H, V, O)."""
    p = projections
    w_o = np.eye(p.d_out, dtype=p.dtype) if p.w_o is None else p.w_o
    rows_HVO: Array = w_o.reshape(p.n_heads, p.d_v, p.d_out)
    return rows_HVO
