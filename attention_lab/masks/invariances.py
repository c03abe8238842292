"""Changes of a layer's scores, weights and softmax: some change the output, others do not.

At the end: other weights for the same layer. The queries and keys of a head meet only in dot
products, its values and its rows of W_O only in their product. So both pairs can be written in
another basis: W_Q R with W_K R⁻ᵀ, and W_V U with U⁻¹ W_O.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core import HeadTrace
from attention_core.attention import LayerSteps, options_of, run_layer
from attention_core.checks import Array
from attention_core.formulas import (
    mask_scores,
    merge_heads,
    mix_values,
    sink_softmax,
    softmax,
    split_heads,
)
from attention_core.initialisation import Stream, generator, orthonormal_columns
from attention_core.layer_checks import Options
from attention_core.numbers import check_room
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..heads.reruns import rerun
from ..heads.weight_blocks import output_rows
from ..why_three import values_from_inputs, with_keys_from_queries
from .mistakes import ReplacedSteps, run_inputs, run_with_steps


def shuffled_order(n_tokens: int, seed: int = 0) -> tuple[int, ...]:
    """A random order in which every token moves to another place, if there are at least two.

    >>> sorted(shuffled_order(5)) == [0, 1, 2, 3, 4]
    True
    """
    check_room(n_tokens=n_tokens)
    rng = generator(seed, Stream.CHANGES)
    cycle = rng.permutation(n_tokens)
    order = np.empty(n_tokens, dtype=int)
    order[cycle] = np.roll(cycle, 1)
    return tuple(int(place) for place in order)


def with_query_bias(projections: Projections, vector: Array) -> Projections:
    """The same weights with a vector added to every query, all heads side by side. Shapes:
    (H*K,).
    """
    p = projections
    return replace(p, b_q=vector if p.b_q is None else p.b_q + vector)


def with_key_bias(projections: Projections, vector: Array) -> Projections:
    """The same weights with a vector added to every key, all key/value heads side by side.
    Shapes: (G*K,).
    """
    p = projections
    return replace(p, b_k=vector if p.b_k is None else p.b_k + vector)


Apply = Callable[[Trace, int], Trace]


@dataclass(frozen=True)
class LayerChange:
    """A change of a layer.

    formula: why its output changes or stays the same, as LaTeX. apply: run the changed layer, with
    numbers drawn from a seed. is_drawn: whether there are such numbers.
    """

    key: str
    name: str
    formula: str
    description: str
    apply: Apply
    is_drawn: bool


LAYER_CHANGES: list[LayerChange] = []  # in the order of this file


def _change(
    name: str, formula: str, description: str, is_drawn: bool = True
) -> Callable[[Apply], Apply]:
    """The function below makes a change of this name."""

    def declared(apply: Apply) -> Apply:
        key = apply.__name__.strip("_")
        LAYER_CHANGES.append(LayerChange(key, name, formula, description, apply, is_drawn))
        return apply

    return declared


def _add_to_scores(trace: Trace, seed: int, shape: tuple[int, int]) -> Trace:
    constants = 3 * generator(seed, Stream.CHANGES).standard_normal(shape)
    return rerun(trace, bias=constants if trace.bias is None else trace.bias + constants)


@_change(
    "A number added for each query",
    r"\frac{e^{s_{ij} + c_i}}{\sum_k e^{s_{ik} + c_i}} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
    "The number is added to all scores of a query, and the softmax depends only on their"
    " differences. The factor $e^{c_i}$ cancels. Only a sink, which does not get this number, makes"
    " a difference.",
)
def _row_constants(trace: Trace, seed: int) -> Trace:
    return _add_to_scores(trace, seed, (trace.sizes["T"], 1))


@_change(
    "A number added for each key",
    r"\frac{e^{s_{ij} + c_j}}{\sum_k e^{s_{ik} + c_k}}",
    "The number is added to all scores of a key, so some keys get more from all queries.",
)
def _column_constants(trace: Trace, seed: int) -> Trace:
    return _add_to_scores(trace, seed, (1, trace.sizes["S"]))


@_change(
    "A bias added to every key",
    r"q_i \cdot (k_j + b) = q_i \cdot k_j + q_i \cdot b",
    "It adds the same number to all scores of one query, so no probability changes. It would with a"
    " soft cap, with keys that are turned (RoPE) or normalised (QK-norm) afterwards, and with a"
    " sink or a key of zeros, which do not get this number.",
)
def _key_bias(trace: Trace, seed: int) -> Trace:
    vector = generator(seed, Stream.CHANGES).standard_normal(trace.projections.w_k.shape[1])
    return rerun(trace, projections=with_key_bias(trace.projections, vector))


@_change(
    "A bias added to every query",
    r"(q_i + b) \cdot k_j = q_i \cdot k_j + b \cdot k_j",
    "It adds another number for each key: keys similar to b get more.",
)
def _query_bias(trace: Trace, seed: int) -> Trace:
    vector = generator(seed, Stream.CHANGES).standard_normal(trace.projections.w_q.shape[1])
    return rerun(trace, projections=with_query_bias(trace.projections, vector))


@_change(
    "Queries and keys in another basis",
    r"(W_Q R)(W_K R^{-\top})^{\top} = W_Q W_K^{\top}",
    "Queries and keys are used only in dot products. In another basis, biases included, these stay"
    " the same. So a single number of W_Q means nothing by itself. Rotary positions and QK-norm"
    " work on single numbers, so with them the output changes.",
)
def _query_key_basis(trace: Trace, seed: int) -> Trace:
    p = trace.projections
    neutral_GVV = np.broadcast_to(np.eye(p.d_v), (p.groups, p.d_v, p.d_v))
    change = BasisChange(random_basis_change(p, seed).query_key, neutral_GVV)
    return rerun(trace, projections=with_basis_change(p, change))


@_change(
    "Values in another basis",
    r"(W_V U)(U^{-1} W_O) = W_V W_O",
    "The change of the values is undone in W_O: the head outputs differ, the output of the layer"
    " does not. A layer without W_O gets U⁻¹ as its W_O.",
)
def _value_basis(trace: Trace, seed: int) -> Trace:
    p = trace.projections
    neutral_GKK = np.broadcast_to(np.eye(p.d_k), (p.groups, p.d_k, p.d_k))
    change = BasisChange(neutral_GKK, random_basis_change(p, seed).value)
    return rerun(trace, projections=with_basis_change(p, change))


def _softmax_of_all(scaled: Array, masked_BHTS: Array, options: Options) -> Array:
    """One softmax over all scores of a head."""
    flat = masked_BHTS.reshape(*masked_BHTS.shape[:2], -1)
    shares: Array = softmax(flat).reshape(masked_BHTS.shape)
    return shares


@_change(
    "One softmax over a whole head",
    r"a_{ij} = \frac{e^{s_{ij}}}{\sum_{k,l} e^{s_{kl}}}",
    "All shares of a head together sum to 1, not those of each query: a query with higher scores"
    " gets more of it than others. For one query the proportions stay, and its result shrinks.",
    is_drawn=False,
)
def _one_softmax(trace: Trace, seed: int) -> Trace:
    return run_with_steps(run_inputs(trace), ReplacedSteps(shares=_softmax_of_all))


def additive_scores(query_BHTK: Array, key_BGSK: Array) -> Array:
    """Scores Σ v_k tanh(q_k + k_k), with every number of v equal to 1; a model would learn v.
    Shapes: (B, H, T, S). Units or range: at most K, either sign.

    Source: Bahdanau et al. 2015, appendix A.1.2. Vaswani et al. 2017, section 3.2.1, call it
    additive attention.
    """
    keys_BHSK = key_BGSK.repeat(query_BHTK.shape[1] // key_BGSK.shape[1], axis=1)
    heads = zip(query_BHTK.swapaxes(0, 1), keys_BHSK.swapaxes(0, 1), strict=True)
    sums = [
        np.tanh(q_BTK[:, :, np.newaxis] + k_BSK[:, np.newaxis]).sum(-1) for q_BTK, k_BSK in heads
    ]
    return np.stack(sums, axis=1)


def _additive_heads(query: Array, key: Array, value: Array, options: Options) -> HeadTrace:
    scores = additive_scores(query, key)
    masked = mask_scores(scores, options.allowed, options.bias)
    probabilities = sink_softmax(masked, options.sink)
    return HeadTrace(scores, scores, masked, probabilities, mix_values(probabilities, value))


@_change(
    "Additive scores (Bahdanau)",
    r"v^\top \tanh(q_i + k_j)",
    "Queries and keys are those of the layer; a model would learn v, here it is 1. The tanh keeps"
    " every score between −d_k and d_k without a scale, but must be computed for every pair and"
    " feature: one matrix product is not enough. Vaswani et al. (2017) chose the dot product for"
    " that.",
    is_drawn=False,
)
def _additive(trace: Trace, seed: int) -> Trace:
    given = run_inputs(trace)
    options = options_of(trace)._replace(allowed=given.mask, bias=given.bias)
    connection = trace.inputs if trace.residual else None
    steps = LayerSteps(heads=_additive_heads)
    layer = run_layer(trace.inputs, trace.memory, trace.projections, options, connection, steps)
    return layer.labelled(trace.tokens, trace.memory_tokens)


@_change(
    "W_K = W_Q: one matrix for queries and keys",
    r"q_i \cdot k_j = q_i \cdot q_j = q_j \cdot k_i",
    "Query and key of a token are one vector, so any two tokens rate each other alike, and one of"
    " the two rates itself at least as high. Such a head cannot ask for something else than it"
    " answers: it has no direction, such as from a word to the one before it.",
    is_drawn=False,
)
def _one_for_both(trace: Trace, seed: int) -> Trace:
    return with_keys_from_queries(trace)


@_change(
    "V = X: the values are the inputs",
    r"o_i = \sum_j a_{ij}\, x_j",
    "W_V copies the features of X. The shares stay the same, but each head hands on its own part of"
    " a token’s numbers as it is: it cannot choose what of a token is worth handing on, and other"
    " features never reach it.",
    is_drawn=False,
)
def _inputs_as_values(trace: Trace, seed: int) -> Trace:
    return rerun(trace, projections=values_from_inputs(trace.projections))


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
