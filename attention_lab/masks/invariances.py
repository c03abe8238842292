"""What the layer cannot see: changes of its input or its weights, and whether they show in what
it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_numbers, is_finite_number, short_repr, whole_number
from attention_core.errors import SettingsError, ShapeError
from attention_core.initialisation import Stream, generator
from attention_core.limits import check_room
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..heads.basis_change import Gauge, change_gauge, random_gauge
from ..heads.reruns import rerun


def shuffled_order(n_tokens: int, seed: int = 0) -> tuple[int, ...]:
    """A random order in which no token stays where it was, unless there is only one.

    >>> sorted(shuffled_order(5)) == [0, 1, 2, 3, 4]
    True
    """
    check_room(n_tokens=whole_number("n_tokens", n_tokens, 1))
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
    vector = _vector(vector, p.w_q.shape[1])
    return replace(p, b_q=vector if p.b_q is None else p.b_q + vector)


def with_key_bias(projections: Projections, vector: Array) -> Projections:
    """The same weights with a vector added to every key, all key/value heads side by side.
    Shapes: (G*K,).
    """
    p = projections
    vector = _vector(vector, p.w_k.shape[1])
    return replace(p, b_k=vector if p.b_k is None else p.b_k + vector)


def _vector(vector: ArrayLike, width: int) -> Array:
    numbers = as_numbers("vector", vector)
    if numbers.shape != (width,):
        raise ShapeError(
            f"vector has shape {numbers.shape} but must have ({width},), a number for each column"
        )
    return numbers


def at_temperature(trace: Trace, temperature: float) -> Trace:
    """The same layer with every scaled score divided by the temperature: below 1 sharper, above 1
    flatter.

    Raises: SettingsError when the temperature is not above 0.
    """
    if not is_finite_number(temperature) or not temperature > 0:
        raise SettingsError(
            f"temperature is {short_repr(temperature)} but must be a number above 0; 1 changes"
            " nothing"
        )
    with np.errstate(over="ignore"):
        scale = float(np.float64(trace.scale) / temperature)
    return rerun(trace, scale=scale)


@dataclass(frozen=True)
class Change:
    """Something that is done to a layer: whether its output stays the same in theory, and a way to
    try it.

    formula: LaTeX, why. apply: the layer run again, changed with numbers drawn from a seed.
    """

    key: str
    name: str
    same: bool
    formula: str
    says: str
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
    return rerun(
        trace, projections=change_gauge(p, Gauge(random_gauge(p, seed).query_key, neutral_GVV))
    )


def _value_basis(trace: Trace, seed: int) -> Trace:
    p = trace.projections
    neutral_GKK = np.broadcast_to(np.eye(p.d_k), (p.groups, p.d_k, p.d_k))
    return rerun(
        trace, projections=change_gauge(p, Gauge(neutral_GKK, random_gauge(p, seed).value))
    )


CHANGES: tuple[Change, ...] = (
    Change(
        "row_constants",
        "a constant for each query, added to all its scores",
        True,
        r"\frac{e^{s_{ij} + c_i}}{\sum_k e^{s_{ik} + c_i}} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "The softmax sees only differences within a row; the factor e^c stands above and below.",
        _row_constants,
    ),
    Change(
        "column_constants",
        "a constant for each key, added to all its scores",
        False,
        r"\frac{e^{s_{ij} + c_j}}{\sum_k e^{s_{ik} + c_k}}",
        "It makes some keys more popular with all queries, so the probabilities change.",
        _column_constants,
    ),
    Change(
        "key_bias",
        "a bias added to every key",
        True,
        r"q_i \cdot (k_j + b) = q_i \cdot k_j + q_i \cdot b",
        "It adds the same number to a whole row of scores, so the softmax does not see it. A soft"
        " cap, which bends the scores, would show it, and so would keys that are turned by their"
        " place.",
        _key_bias,
    ),
    Change(
        "query_bias",
        "a bias added to every query",
        False,
        r"(q_i + b) \cdot k_j = q_i \cdot k_j + b \cdot k_j",
        "What it adds differs from key to key: keys near b become more popular.",
        _query_bias,
    ),
    Change(
        "temperature",
        "temperature 2",
        False,
        r"\operatorname{softmax}(s / 2)",
        "The shares come closer together; which key is first, second, third in a row stays,"
        " unless a bias is added to the scores: it is not divided, so it weighs more than before.",
        lambda trace, seed: at_temperature(trace, 2.0),
    ),
    Change(
        "query_key_basis",
        "queries and keys in another basis",
        True,
        r"(W_Q R)(W_K R^{-\top})^{\top} = W_Q W_K^{\top}",
        "Queries and keys meet only in dot products: in another basis, biases included, they have"
        " the same ones, so a single number of W_Q means nothing by itself.",
        _query_key_basis,
    ),
    Change(
        "value_basis",
        "values in another basis",
        True,
        r"(W_V T)(T^{-1} W_O) = W_V W_O",
        "What the values gain, W_O takes back: the head outputs differ, the layer's output does"
        " not. A layer without W_O gets one for that, T⁻¹.",
        _value_basis,
    ),
)
