"""Changes of a layer's scores and weights that do not change its output, and some that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.initialisation import Stream, generator
from attention_core.numbers import check_room
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..heads.basis_change import BasisChange, random_basis_change, with_basis_change
from ..heads.reruns import rerun
from .temperature import at_temperature


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


@dataclass(frozen=True)
class LayerChange:
    """A change of a layer. keeps_output: whether the output stays the same, by theory.

    formula: why, as LaTeX. apply: run the changed layer, with numbers drawn from a seed.
    """

    key: str
    name: str
    keeps_output: bool
    formula: str
    description: str
    apply: Callable[[Trace, int], Trace]


def _add_to_scores(trace: Trace, constants: Array) -> Trace:
    return rerun(trace, bias=constants if trace.bias is None else trace.bias + constants)


def _row_constants(trace: Trace, seed: int) -> Trace:
    return _add_to_scores(
        trace, 3 * generator(seed, Stream.CHANGES).standard_normal((trace.sizes["T"], 1))
    )


def _column_constants(trace: Trace, seed: int) -> Trace:
    return _add_to_scores(
        trace, 3 * generator(seed, Stream.CHANGES).standard_normal((1, trace.sizes["S"]))
    )


def _query_bias(trace: Trace, seed: int) -> Trace:
    vector = generator(seed, Stream.CHANGES).standard_normal(trace.projections.w_q.shape[1])
    return rerun(trace, projections=with_query_bias(trace.projections, vector))


def _key_bias(trace: Trace, seed: int) -> Trace:
    vector = generator(seed, Stream.CHANGES).standard_normal(trace.projections.w_k.shape[1])
    return rerun(trace, projections=with_key_bias(trace.projections, vector))


def _query_key_basis(trace: Trace, seed: int) -> Trace:
    p = trace.projections
    neutral_GVV = np.broadcast_to(np.eye(p.d_v), (p.groups, p.d_v, p.d_v))
    change = BasisChange(random_basis_change(p, seed).query_key, neutral_GVV)
    return rerun(trace, projections=with_basis_change(p, change))


def _value_basis(trace: Trace, seed: int) -> Trace:
    p = trace.projections
    neutral_GKK = np.broadcast_to(np.eye(p.d_k), (p.groups, p.d_k, p.d_k))
    change = BasisChange(neutral_GKK, random_basis_change(p, seed).value)
    return rerun(trace, projections=with_basis_change(p, change))


LAYER_CHANGES: tuple[LayerChange, ...] = (
    LayerChange(
        "row_constants",
        "A constant for each query, added to all scores of that query",
        True,
        r"\frac{e^{s_{ij} + c_i}}{\sum_k e^{s_{ik} + c_i}} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "The softmax depends only on differences between the scores of one query. The factor"
        " $e^{c_i}$ cancels.",
        _row_constants,
    ),
    LayerChange(
        "column_constants",
        "A constant for each key, added to all scores of that key",
        False,
        r"\frac{e^{s_{ij} + c_j}}{\sum_k e^{s_{ik} + c_k}}",
        "Some keys get more from all queries, so the probabilities change.",
        _column_constants,
    ),
    LayerChange(
        "key_bias",
        "A bias added to every key",
        True,
        r"q_i \cdot (k_j + b) = q_i \cdot k_j + q_i \cdot b",
        "It adds the same number to all scores of one query, so no probability changes. It would"
        " with a soft cap, with keys that are turned (RoPE) or normalised (QK-norm) afterwards, and"
        " with a sink or a key of zeros, which do not get this number.",
        _key_bias,
    ),
    LayerChange(
        "query_bias",
        "A bias added to every query",
        False,
        r"(q_i + b) \cdot k_j = q_i \cdot k_j + b \cdot k_j",
        "It adds another number for each key: keys similar to b get more.",
        _query_bias,
    ),
    LayerChange(
        "temperature",
        "Temperature 2",
        False,
        r"\operatorname{softmax}(s / 2)",
        "The probabilities come closer together. Their order stays the same for each query, unless"
        " a bias is added to the scores: the bias is not divided, so it weighs more than before.",
        lambda trace, seed: at_temperature(trace, 2.0),
    ),
    LayerChange(
        "query_key_basis",
        "Queries and keys in another basis",
        True,
        r"(W_Q R)(W_K R^{-\top})^{\top} = W_Q W_K^{\top}",
        "Queries and keys are used only in dot products. In another basis, biases included, these"
        " stay the same. So a single number of W_Q means nothing by itself.",
        _query_key_basis,
    ),
    LayerChange(
        "value_basis",
        "Values in another basis",
        True,
        r"(W_V U)(U^{-1} W_O) = W_V W_O",
        "The change of the values is undone in W_O: the head outputs differ, the output of the"
        " layer does not. A layer without W_O gets U⁻¹ as its W_O.",
        _value_basis,
    ),
)
