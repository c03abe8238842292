"""The backward formulas of multi-head attention, one function each: how a gradient of the loss
passes one step.

An argument named after an array and ending in `_gradient` is the gradient of the loss with respect
to that array; it has the array's shape. A local name ends in its axes: B batch, H head, T query, S
key, D feature, K query/key feature, V value feature, G key/value head, F features of a fused
matrix.
"""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import share, shared


def weight_gradient(x_BTD: Array, product_gradient_BTF: Array) -> Array:
    """A matrix learns from every token at once: what went in, times what was wanted of what came
    out, summed.

    Shapes: (B, T, D), (B, T, F) -> (D, F).
    """
    x_ND = x_BTD.reshape(-1, x_BTD.shape[2])
    gradient_DF: Array = np.dot(x_ND.T, product_gradient_BTF.reshape(len(x_ND), -1))
    return gradient_DF


def bias_gradient(sum_gradient_BTF: Array) -> Array:
    """A bias is added to every token, so its gradient is the sum over all tokens. Shapes: (B,
    T, F) -> (F,).
    """
    gradient_NF = sum_gradient_BTF.reshape(-1, sum_gradient_BTF.shape[2])
    # A product with ones takes a third of the time of sum(axis=0) at 384 rows.
    gradient_F: Array = np.dot(np.ones(len(gradient_NF), gradient_NF.dtype), gradient_NF)
    return gradient_F


def factor_gradient(product_gradient_BTF: Array, weights_DF: Array) -> Array:
    """What went into a matrix product: the gradient goes back through the transposed matrix.

    Shapes: (B, T, F), (D, F) -> (B, T, D).
    """
    n_batch, n_tokens, n_features = product_gradient_BTF.shape
    gradient_ND: Array = np.dot(product_gradient_BTF.reshape(-1, n_features), weights_DF.T)
    return gradient_ND.reshape(n_batch, n_tokens, -1)


def probability_gradient(head_output_gradient_BHTV: Array, value_BGSV: Array, out: Array) -> Array:
    """A query should read more of a key whose value points where its output should go.

    Shapes: (B, H, T, V), (B, G, S, V) -> (B, H, T, S).
    """
    n_groups = value_BGSV.shape[1]
    value_BGVS = shared(value_BGSV, head_output_gradient_BHTV).swapaxes(-1, -2)
    np.matmul(share(head_output_gradient_BHTV, n_groups), value_BGVS, out=share(out, n_groups))
    return out


def value_gradient(
    probability_BHTS: Array, head_output_gradient_BHTV: Array, n_groups: int
) -> Array:
    """A value is asked for by every query that read it, in proportion to how much it read.

    Shapes: (B, H, T, S), (B, H, T, V) -> (B, G, S, V).
    """
    return summed_over_sharers(
        probability_BHTS.swapaxes(-1, -2) @ head_output_gradient_BHTV, n_groups
    )


def softmax_gradient(
    probability_BHTS: Array, probability_gradient_BHTS: Array, out: Array
) -> Array:
    """Shares compete: a score gains only by as much as its key is wanted above the row's average.

    Where a key is hidden its probability is 0, and so is the gradient of its score.
    Shapes: (B, H, T, S) twice -> (B, H, T, S).
    """
    np.multiply(probability_BHTS, probability_gradient_BHTS, out=out)
    average_BHT1 = np.matmul(out, np.ones((out.shape[-1], 1), out.dtype))
    np.subtract(probability_gradient_BHTS, average_BHT1, out=out)
    return np.multiply(out, probability_BHTS, out=out)


def scale_gradient(
    scaled_gradient_BHTS: Array, scaled_BHTS: Array, scale: float, softcap: float | None, out: Array
) -> Array:
    """The scale shrinks gradients as it shrank scores; a soft cap c passes on less the nearer a
    score is to it.

    The derivative of c·tanh(s/c) is 1 - tanh²(s/c). Shapes: (B, H, T, S) twice -> (B, H, T, S).
    """
    np.multiply(scaled_gradient_BHTS, scale, out=out)
    if softcap is not None:
        np.multiply(out, 1 - np.square(scaled_BHTS / softcap), out=out)
    return out


def query_gradient(score_gradient_BHTS: Array, key_BGSK: Array) -> Array:
    """A query moves towards the keys whose scores should grow, away from those whose should shrink.

    Shapes: (B, H, T, S), (B, G, S, K) -> (B, H, T, K).
    """
    gradient: Array = share(score_gradient_BHTS, key_BGSK.shape[1]) @ shared(
        key_BGSK, score_gradient_BHTS
    )
    return gradient.reshape(*score_gradient_BHTS.shape[:3], -1)


def key_gradient(score_gradient_BHTS: Array, query_BHTK: Array, n_groups: int) -> Array:
    """A key moves towards the queries that should find it. Shapes: (B, H, T, S), (B, H, T, K)
    -> (B, G, S, K).
    """
    return summed_over_sharers(score_gradient_BHTS.swapaxes(-1, -2) @ query_BHTK, n_groups)


def summed_over_sharers(gradient_BHSK: Array, n_groups: int) -> Array:
    """A key or value that several heads share collects the gradients of all of them.

    Shapes: (B, H, S, K) -> (B, G, S, K).
    """
    if gradient_BHSK.shape[1] == n_groups:
        return gradient_BHSK
    gradient_BGSK: Array = share(gradient_BHSK, n_groups).sum(axis=2)
    return gradient_BGSK
