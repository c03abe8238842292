"""Other weights for the same layer: a change of basis for each head.

The queries and keys of a head meet only in dot products, its values and its rows of W_O only in
their product. So both pairs can be written in another basis: W_Q R with W_K R⁻ᵀ, and W_V U with
U⁻¹ W_O.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import merge_heads, split_heads
from attention_core.initialisation import Stream, generator, orthonormal_columns
from attention_core.projections import Projections

from .weight_blocks import output_rows


@dataclass(frozen=True, eq=False)
class BasisChange:
    """The matrices of each key/value head: R for queries and keys, U for values. Shapes: (G, K, K),
    (G, V, V).
    """

    query_key: Array
    value: Array


def random_basis_change(projections: Projections, seed: int = 0) -> BasisChange:
    """For each key/value head a rotation, a stretch of each direction by a factor from 1/2 to 2,
    and another rotation.
    """
    rng = generator(seed, Stream.BASES)
    matrices = [
        np.stack([_invertible(rng, width) for _ in range(projections.groups)])
        for width in (projections.d_k, projections.d_v)
    ]
    return BasisChange(*matrices)


def _invertible(rng: np.random.Generator, width: int) -> Array:
    stretch_K = 2.0 ** rng.uniform(-1, 1, width)
    matrix_KK: Array = (orthonormal_columns(rng, width, width) * stretch_K) @ orthonormal_columns(
        rng, width, width
    )
    return matrix_KK


def with_basis_change(projections: Projections, change: BasisChange) -> Projections:
    """Other weights for the same layer: W_Q R, W_K R⁻ᵀ, W_V U, U⁻¹ W_O, and the biases likewise.

    Heads that share keys and values share R and U. A layer without W_O gets U⁻¹ as its W_O.
    """
    p = projections
    back_GKK, back_GVV = np.linalg.inv(change.query_key), np.linalg.inv(change.value)
    readers = p.n_heads // p.groups
    query_HKK, key_GKK = change.query_key.repeat(readers, axis=0), back_GKK.swapaxes(-1, -2)
    w_o = (back_GVV.repeat(readers, axis=0) @ output_rows(p)).reshape(-1, p.d_out)
    changed: dict[str, Any] = {"w_o": w_o}
    for letter, basis in (("q", query_HKK), ("k", key_GKK), ("v", change.value)):
        changed[f"w_{letter}"] = _times(getattr(p, f"w_{letter}"), basis)
        if (bias := getattr(p, f"b_{letter}")) is not None:
            changed[f"b_{letter}"] = _times(bias[np.newaxis], basis)[0]
    return replace(p, **changed).astype(p.dtype)


def _times(weights_DF: Array, basis_HKK: Array) -> Array:
    """Each head's block of columns times the head's matrix."""
    blocks_HDK = split_heads(weights_DF[np.newaxis], len(basis_HKK))[0]
    product_DF: Array = merge_heads((blocks_HDK @ basis_HKK)[np.newaxis])[0]
    return product_DF
