"""The backward pass, one function per step: from the gradient of what a step computes, the
gradients of what it reads. Below them the formulas that they share.

The gradient of the loss with respect to an array has the array's shape. A local name ends in its
axes: B batch, H head, T query, S key, D feature, K query/key feature, V value feature, G key/value
head, F features of a fused matrix.
"""

from collections.abc import Callable

import numpy as np

from attention_core.checks import Array
from attention_core.fast_heads import pooled_array
from attention_core.formulas import cut_heads, join_heads, mix_values, multiply_heads, share
from attention_core.positions import pair_members
from attention_core.trace import Trace

Gradients = dict[str, Array]  # by the names of fields and weights
Backward = Callable[[Trace, Array], Gradients]


def inputs(layer: Trace, gradient: Array) -> Gradients:
    """The inputs are computed from nothing."""
    return {}


def memory(layer: Trace, gradient: Array) -> Gradients:
    """In self-attention the memory is the inputs."""
    return {"inputs": gradient} if layer.memory is layer.inputs else {}


def projected(source: str, weights: str, bias: str) -> Backward:
    """All that goes into x W + b: the tokens, the matrix, and the bias if there is one."""

    def backward(layer: Trace, gradient: Array) -> Gradients:
        p = layer.projections
        gradients = {
            source: factor_gradient(gradient, getattr(p, weights)),
            weights: weight_gradient(getattr(layer, source), gradient),
        }
        return (
            gradients if getattr(p, bias) is None else gradients | {bias: bias_gradient(gradient)}
        )

    return backward


def split(source: str) -> Backward:
    """Joining the heads undoes cutting them."""
    return lambda layer, gradient: {source: join_heads(gradient)}


def normed(made: str, gain: str) -> Backward:
    """A vector of fixed length can only turn: what points along it is taken out of its gradient."""

    def backward(layer: Trace, gradient_BHTK: Array) -> Gradients:
        (source,), epsilon = layer.needs(made), layer.head_norm.epsilon if layer.head_norm else 0.0
        vector_BHTK, gain_K = getattr(layer, source), getattr(layer, gain)
        mean_BHT1 = np.square(vector_BHTK).mean(axis=-1, keepdims=True)
        root_BHT1 = np.sqrt(mean_BHT1 + vector_BHTK.dtype.type(epsilon))
        unit_BHTK, wanted_BHTK = vector_BHTK / root_BHT1, gradient_BHTK * gain_K
        along_BHT1 = (wanted_BHTK * unit_BHTK).mean(axis=-1, keepdims=True)
        return {
            source: (wanted_BHTK - unit_BHTK * along_BHT1) / root_BHT1,
            gain: (gradient_BHTK * unit_BHTK).sum(axis=(0, 1, 2)),
        }

    return backward


def turned(made: str, table: str) -> Backward:
    """A turned pair turns back by the same angle."""

    def backward(layer: Trace, gradient_BHTK: Array) -> Gradients:
        (source,), counts_T2K = layer.needs(made), getattr(layer, table)
        pairs = layer.rotary.pairs if layer.rotary else "neighbours"
        first_K, second_K = pair_members(layer.sizes["K"], pairs)
        firsts_P = np.unique(first_K)
        seconds_P, gradient = second_K[firsts_P], np.empty_like(gradient_BHTK)
        for number, members_P in enumerate((firsts_P, seconds_P)):
            counted = gradient_BHTK * counts_T2K[:, number]
            gradient[..., members_P] = counted[..., firsts_P] + counted[..., seconds_P]
        return {source: gradient}

    return backward


def scores(layer: Trace, gradient_BHTS: Array) -> Gradients:
    """A query moves towards the keys whose scores should grow, a key towards the queries that
    should find it.
    """
    queries, keys = layer.needs("scores")
    groups, query_BHTK = layer.projections.groups, getattr(layer, queries)
    return {
        queries: mix_values(gradient_BHTS, getattr(layer, keys)),
        keys: _sum_over_queries(gradient_BHTS, query_BHTK, groups),
    }


def scaled(layer: Trace, gradient_BHTS: Array) -> Gradients:
    """The scale multiplies gradients as it multiplied scores; a soft cap c passes on less, the
    nearer a score is to it: the derivative of c·tanh(s/c) is 1 - tanh²(s/c).
    """
    scores_BHTS = _like(gradient_BHTS)
    np.multiply(gradient_BHTS, layer.scale, out=scores_BHTS)
    if layer.softcap is not None:
        scores_BHTS *= 1 - np.square(layer.scaled_scores / layer.softcap)
    return {"scores": scores_BHTS}


def masked(layer: Trace, gradient: Array) -> Gradients:
    """A mask and a bias add constants, so nothing changes."""
    return {"scaled_scores": gradient}


def softmax(layer: Trace, gradient_BHTS: Array) -> Gradients:
    """Through the softmax of every row; a larger sink takes from every share of the row."""
    gradients = {"masked_scores": softmax_gradient(layer.probabilities, gradient_BHTS)}
    if layer.sink is None:
        return gradients
    average_BHT = (layer.probabilities * gradient_BHTS).sum(axis=-1)
    return gradients | {"sink": -(layer.sink_share * average_BHT).sum(axis=(0, 2))}


def mixed(layer: Trace, gradient_BHTV: Array) -> Gradients:
    """A value collects from every query that read it, in proportion to how much it read; a query
    should read more of a key whose value points where its output should go.
    """
    values_BGVS = layer.value_heads.swapaxes(-1, -2)
    probabilities = _like(layer.probabilities)
    multiply_heads(gradient_BHTV, values_BGVS, out=probabilities)
    groups = layer.projections.groups
    value_heads = _sum_over_queries(layer.probabilities, gradient_BHTV, groups)
    return {"value_heads": value_heads, "probabilities": probabilities}


def merged(layer: Trace, gradient: Array) -> Gradients:
    """Cutting the heads undoes joining them."""
    return {"head_outputs": cut_heads(gradient, layer.projections.n_heads)}


def output(layer: Trace, gradient: Array) -> Gradients:
    """The joined heads, W_O and its bias where there are any, and the inputs that are added."""
    p = layer.projections
    gradients = {"inputs": gradient} if layer.residual else {}
    if p.w_o is not None:
        return gradients | projected("merged", "w_o", "b_o")(layer, gradient)
    biases = {} if p.b_o is None else {"b_o": bias_gradient(gradient)}
    return gradients | biases | {"merged": gradient}


# The gradients of what each step reads, from its own. A field that several steps read collects from
# all of them.
BACKWARD: dict[str, Backward] = {
    "inputs": inputs,
    "memory": memory,
    "queries": projected("inputs", "w_q", "b_q"),
    "keys": projected("memory", "w_k", "b_k"),
    "values": projected("memory", "w_v", "b_v"),
    "query_heads": split("queries"),
    "key_heads": split("keys"),
    "value_heads": split("values"),
    "normed_queries": normed("normed_queries", "query_gain"),
    "normed_keys": normed("normed_keys", "key_gain"),
    "turned_queries": turned("turned_queries", "query_rotation"),
    "turned_keys": turned("turned_keys", "key_rotation"),
    "scores": scores,
    "scaled_scores": scaled,
    "masked_scores": masked,
    "probabilities": softmax,
    "head_outputs": mixed,
    "merged": merged,
    "output": output,
}


def weight_gradient(x_BTD: Array, product_gradient_BTF: Array) -> Array:
    """A matrix learns from every token at once: what went in times the gradient of what came out,
    summed.

    Shapes: (B, T, D), (B, T, F) -> (D, F).
    """
    x_ND = x_BTD.reshape(-1, x_BTD.shape[2])
    gradient_DF: Array = np.dot(x_ND.T, product_gradient_BTF.reshape(len(x_ND), -1))
    return gradient_DF


def bias_gradient(sum_gradient_BTF: Array) -> Array:
    """A bias is added to every token, so its gradient is the sum over all tokens.

    Shapes: (B, T, F) -> (F,).
    """
    gradient_NF = sum_gradient_BTF.reshape(-1, sum_gradient_BTF.shape[2])
    # A product with ones takes a third of the time of sum(axis=0) at 384 rows.
    gradient_F: Array = np.dot(np.ones(len(gradient_NF), gradient_NF.dtype), gradient_NF)
    return gradient_F


def factor_gradient(product_gradient_BTF: Array, weights_DF: Array) -> Array:
    """The gradient of what was multiplied by a matrix goes back through the transposed matrix.

    Shapes: (B, T, F), (D, F) -> (B, T, D).
    """
    n_batch, n_tokens, n_features = product_gradient_BTF.shape
    gradient_ND: Array = np.dot(product_gradient_BTF.reshape(-1, n_features), weights_DF.T)
    return gradient_ND.reshape(n_batch, n_tokens, -1)


def softmax_gradient(probability_BHTS: Array, probability_gradient_BHTS: Array) -> Array:
    """Shares compete: a score gains only by as much as its key is wanted above the row's average.

    Where a key is hidden its probability is 0, and so is the gradient of its score.
    Shapes: (B, H, T, S) twice -> (B, H, T, S).
    """
    gradient_BHTS = _like(probability_BHTS)
    np.multiply(probability_BHTS, probability_gradient_BHTS, out=gradient_BHTS)
    # A product with ones adds up a row in a quarter of the time of sum(axis=-1).
    average_BHT1 = gradient_BHTS @ np.ones((gradient_BHTS.shape[-1], 1), gradient_BHTS.dtype)
    np.subtract(probability_gradient_BHTS, average_BHT1, out=gradient_BHTS)
    return np.multiply(gradient_BHTS, probability_BHTS, out=gradient_BHTS)


def _like(scores_BHTS: Array) -> Array:
    """An array for scores whose numbers are still to be written."""
    return pooled_array(scores_BHTS.shape, scores_BHTS.dtype)


def _sum_over_queries(weights_BHTS: Array, vectors_BHTX: Array, n_groups: int) -> Array:
    """For every key, the vectors of the queries, weighted and added up over all heads that read it.

    Shapes: (B, H, T, S), (B, H, T, X) -> (B, G, S, X).
    """
    sums_BHSX: Array = weights_BHTS.swapaxes(-1, -2) @ vectors_BHTX
    shared_BGSX: Array = share(sums_BHSX, n_groups)
    return shared_BGSX if n_groups == sums_BHSX.shape[1] else shared_BGSX.sum(axis=2)
