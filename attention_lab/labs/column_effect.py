"""What orthonormal columns change in a layer: the matrices, the spread of the scores, the attention
weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.initialisation import normal, orthonormal_columns, xavier
from attention_core.projections import Projections

from ..heads.patterns import entropy

COLUMN_INITIALISATIONS = {"orthonormal": orthonormal_columns, "normal": normal, "glorot": xavier}


@dataclass(frozen=True, eq=False)
class ColumnEffect:
    """The effect of one kind of columns on a layer.

    condition: the largest singular value of W_Q divided by the smallest, averaged over the heads.
    singular_values: of W_Q W_Kᵀ, averaged over the heads, (n,). score_spread: standard deviation of
    the scaled scores off the diagonal. entropy: mean over all rows in nats; ln of the number of
    tokens if attention is even.
    """

    condition: float
    singular_values: Array
    score_spread: float
    entropy: float


def column_effect(
    columns: str,
    d_model: int = 64,
    n_heads: int = 8,
    *,
    n_tokens: int = 32,
    scale: float | None = None,
    seed: int = 0,
) -> ColumnEffect:
    """The effect of the columns, measured on a layer of random matrices and random tokens.

    columns: a key of `COLUMN_INITIALISATIONS`. scale: None means 1/√(head width).
    """
    draw, n = COLUMN_INITIALISATIONS[columns], d_model // n_heads
    rng = np.random.default_rng(seed)
    x_TD = rng.standard_normal((n_tokens, d_model))
    p_q, p_k, p_v = (np.stack([draw(rng, d_model, n) for _ in range(n_heads)]) for _ in range(3))
    trace = attend(x_TD, Projections.from_heads(list(zip(p_q, p_k, p_v, strict=True))), scale=scale)
    spectrum_Hn = np.linalg.svd(p_q, compute_uv=False)
    # W_Q W_Kᵀ has rank n: its singular values are those of the product of the triangular factors.
    factors = np.linalg.qr(p_q)[1] @ np.linalg.qr(p_k)[1].swapaxes(1, 2)
    return ColumnEffect(
        float((spectrum_Hn[:, 0] / spectrum_Hn[:, -1]).mean()),
        np.linalg.svd(factors, compute_uv=False).mean(axis=0),
        float(trace.scaled_scores[0][:, ~np.eye(n_tokens, dtype=bool)].std()),
        float(entropy(trace.probabilities).mean()),
    )
