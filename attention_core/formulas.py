"""The formulas of multi-head attention, one function each; a local name ends in its axes.

B batch, H head, T query, S key, D model feature, K query/key feature, V value feature, G key/value
head.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_array, as_scores, whole_number
from .errors import ShapeError, short_repr
from .numbers import check_range, in_type


def project(x_BTD: Array, weights_DF: Array, bias_F: Array | None = None) -> Array:
    """Multiply every token's vector by one matrix: x W + b.

    Shapes: (B, T, D) times (D, F), plus (F,) -> (B, T, F). All sequences go through one product of
    (B*T, D), which takes 0.88 times as long as one product each (8 sequences of 128 tokens).
    """
    n_batch, n_tokens, d_model = x_BTD.shape
    projected_NF: Array = np.dot(x_BTD.reshape(-1, d_model), weights_DF)
    if bias_F is not None:
        projected_NF += bias_F
    return projected_NF.reshape(n_batch, n_tokens, -1)


def split_heads(fused: ArrayLike, n_heads: int) -> Array:
    """Cut the feature axis into heads (reshape), then bring the head axis forward (swap). No number
    is copied.

    Shapes: (B, T, H*K) -> (B, H, T, K), a view.
    Raises: ShapeError when the heads do not divide the feature axis.

    >>> split_heads(np.arange(8).reshape(1, 2, 4), n_heads=2).tolist()
    [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]
    """
    fused_BTF = as_array("fused", fused)
    if fused_BTF.ndim != 3:
        raise ShapeError(
            f"fused must have shape (batch, tokens, features), but has shape {fused_BTF.shape}"
        )
    n_features = fused_BTF.shape[2]
    if whole_number("n_heads", n_heads) < 1 or n_features % n_heads:
        raise ShapeError(
            f"{n_features} features cannot be cut into {short_repr(n_heads)} heads of equal width;"
            " choose a divisor"
        )
    return cut_heads(fused_BTF, n_heads)


def cut_heads(fused_BTF: Array, n_heads: int) -> Array:
    """`split_heads` without its checks."""
    n_batch, n_tokens, n_features = fused_BTF.shape
    return fused_BTF.reshape(n_batch, n_tokens, n_heads, n_features // n_heads).swapaxes(1, 2)


def merge_heads(heads: ArrayLike) -> Array:
    """Bring the head axis back behind the tokens (swap), then join the heads side by side
    (reshape).

    Shapes: (B, H, T, V) -> (B, T, H*V). Raises: ShapeError for other axes.

    >>> merge_heads([[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]).tolist()
    [[[0, 1, 2, 3], [4, 5, 6, 7]]]
    """
    heads_BHTV = as_array("heads", heads)
    if heads_BHTV.ndim != 4:
        raise ShapeError(
            "heads must have shape (batch, heads, tokens, features), but has shape"
            f" {heads_BHTV.shape}"
        )
    return join_heads(heads_BHTV)


def join_heads(heads_BHTV: Array) -> Array:
    """`merge_heads` without its checks; a view where the heads lie side by side in memory."""
    n_batch, n_heads, n_tokens, d_v = heads_BHTV.shape
    return heads_BHTV.swapaxes(1, 2).reshape(n_batch, n_tokens, n_heads * d_v)


def rms_norm(heads_BHTK: Array, gain_K: Array, epsilon: float) -> Array:
    """Divide every query or key by the root of the mean of its squares; a gain then multiplies each
    feature. With gain 1 its length is the root of K.

    Shapes: (B, H, T, K), (K,) -> (B, H, T, K). Raises: SettingsError for squares that leave the
    range of their type. Source: Zhang and Sennrich 2019 (RMSNorm), equation 4; on queries and keys:
    Qwen3 report (2025), section 2.
    """
    mean_BHT1 = np.square(heads_BHTK).mean(axis=-1, keepdims=True)
    check_range(mean_BHT1)
    normed: Array = heads_BHTK / np.sqrt(mean_BHT1 + heads_BHTK.dtype.type(epsilon))
    normed *= gain_K
    return normed


def dot_products(query_BHTK: Array, key_BGSK: Array) -> Array:
    """Compare every query with every key of its head by their dot product: Q Kᵀ.

    Shapes: (B, H, T, K), (B, G, S, K) -> (B, H, T, S).
    """
    return multiply_heads(query_BHTK, key_BGSK.swapaxes(-1, -2))


def scale_scores(scores_BHTS: Array, scale: float, softcap: float | None) -> Array:
    """Multiply the scores by the scale; a soft cap c then squeezes them into (-c, c): c·tanh(s/c).

    Shapes: (B, H, T, S) -> (B, H, T, S).
    Source: Vaswani et al. 2017, section 3.2.1; the cap: Gemma 2 report (2024), section 2.
    """
    scaled_BHTS = scores_BHTS * scale
    return scaled_BHTS if softcap is None else np.tanh(scaled_BHTS / softcap) * softcap


def mask_scores(scaled_BHTS: Array, allowed: Array | None, bias: Array | None) -> Array:
    """Add the bias; a score that its query may not see becomes -inf.

    Shapes: allowed (True = may attend) and bias broadcast to (B, H, T, S).
    """
    biased_BHTS = scaled_BHTS if bias is None else scaled_BHTS + bias
    return biased_BHTS if allowed is None else np.where(allowed, biased_BHTS, -np.inf)


# The smallest score minus the largest may overflow to -inf, whose exp is 0, as it should be.
@np.errstate(over="ignore")
def softmax(scores: ArrayLike, axis: int = -1) -> Array:
    """exp(s) / Σ exp(s) along one axis; a slice that is -inf everywhere becomes zeros.

    Shapes: any, kept. Units or range: 0 to 1, each slice sums to 1 (or is all 0).
    Raises: SettingsError for NaN, +inf, text or numbers that float64 cannot hold, ShapeError for an
    axis that does not exist.

    >>> softmax([0.0, np.log(3.0)]).round(2).tolist()
    [0.25, 0.75]
    """
    values = as_scores("scores", scores)
    if not -values.ndim <= whole_number("axis", axis) < values.ndim:
        raise ShapeError(
            f"axis is {short_repr(axis)} but scores of shape {values.shape} have {values.ndim}"
            " axes; choose one"
        )
    if values.dtype not in (np.float32, np.float64):
        values = in_type("scores", values, np.float64)
    limits = np.finfo(values.dtype)
    # Subtracting the maximum changes no share but keeps exp in range. The two floors matter only
    # for slices that are -inf everywhere.
    maximum = np.maximum(values.max(axis=axis, keepdims=True, initial=-np.inf), limits.min)
    exponentials = np.exp(values - maximum)
    total = exponentials.sum(axis=axis, keepdims=True)
    shares: Array = exponentials / np.maximum(total, limits.tiny)
    return shares


def sink_softmax(masked_BHTS: Array, sink_H: Array | None) -> Array:
    """The softmax of every row, with a sink as one more score, whose share goes to no value.

    Shapes: (B, H, T, S), (H,) -> (B, H, T, S). Units or range: a row sums to 1 without a sink, to
    less with one. Source: gpt-oss model card (2025), section 2; Miller 2023.
    """
    if sink_H is None:
        return softmax(masked_BHTS)
    sink_BHT1 = np.broadcast_to(sink_H[:, np.newaxis, np.newaxis], (*masked_BHTS.shape[:3], 1))
    return softmax(np.concatenate([masked_BHTS, sink_BHT1], axis=-1))[..., :-1]


def mix_values(probabilities_BHTS: Array, value_BGSV: Array) -> Array:
    """Average the value vectors, weighted by the query's probabilities: A V.

    Shapes: (B, H, T, S), (B, G, S, V) -> (B, H, T, V).
    """
    return multiply_heads(probabilities_BHTS, value_BGSV)


def multiply_heads(left_BHTX: Array, right_BGXY: Array, out: Array | None = None) -> Array:
    """Multiply every head's matrix by that of the key/value head which it shares.

    Shapes: (B, H, T, X), (B, G, X, Y) -> (B, H, T, Y), written into `out` if there is one.
    """
    n_batch, n_heads, n_tokens, _ = left_BHTX.shape
    n_groups = right_BGXY.shape[1]
    if n_groups == n_heads:
        return np.asarray(np.matmul(left_BHTX, right_BGXY, out=out))
    out = None if out is None else share(out, n_groups)
    product = np.matmul(share(left_BHTX, n_groups), right_BGXY[:, :, np.newaxis], out=out)
    return product.reshape(n_batch, n_heads, n_tokens, -1)


def share(heads_BHTK: Array, n_groups: int) -> Array:
    """Query heads grouped by the key/value head they share: head h reads group h // (H/G).

    Shapes: (B, H, T, K) -> (B, G, H/G, T, K), a view; unchanged when every head has its own keys.
    Source: Ainslie et al. 2023 (GQA), section 2.2.
    """
    n_batch, n_heads, n_tokens, width = heads_BHTK.shape
    if n_groups == n_heads:
        return heads_BHTK
    return heads_BHTK.reshape(n_batch, n_groups, n_heads // n_groups, n_tokens, width)


def mix_heads(
    merged_BTF: Array, w_o_FO: Array | None, b_o_O: Array | None, connection_BTO: Array | None
) -> Array:
    """Mix the heads with W_O and add its bias; a skip connection then adds the layer's inputs.

    Shapes: (B, T, H*V), (H*V, O) -> (B, T, O); without W_O the merged heads are the output.
    Source: Vaswani et al. 2017, section 3.2.2; the connection: He et al. 2016, equation 1.
    """
    output_BTO = merged_BTF if w_o_FO is None else project(merged_BTF, w_o_FO)
    for addend in (b_o_O, connection_BTO):
        output_BTO = output_BTO if addend is None else output_BTO + addend
    return output_BTO


def empty_rows(masked_BHTS: Array) -> Any:
    """Which queries may attend to nothing at all. Shapes: (B, H, T, S) -> (B, H, T) bool."""
    return np.isneginf(masked_BHTS).all(axis=-1)
