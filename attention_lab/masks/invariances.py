"""Changes of a layer's scores, weights and softmax: some change the output, others do not.

At the end: other weights for the same layer. The queries and keys of a head meet only in dot
products, its values and its rows of W_O only in their product. So both pairs can be written in
another basis: W_Q R with W_K R⁻ᵀ, and W_V U with U⁻¹ W_O.
"""

from collections.abc import Callable, Mapping
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
from ..home import read_table
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


def with_bias(projections: Projections, name: str, vector: Array) -> Projections:
    """The same weights with a vector added to every query ("b_q") or to every key ("b_k"), all
    heads side by side. Shapes: (H*K,) or (G*K,).
    """
    bias = getattr(projections, name)
    added: dict[str, Any] = {name: vector if bias is None else bias + vector}
    return replace(projections, **added)


Apply = Callable[[Trace, int], Trace]


@dataclass(frozen=True)
class LayerChange:
    """A change of a layer; its words are a row of `assets/data/layer_changes.csv`.

    formula: why its output changes or stays the same, as LaTeX. apply: run the changed layer, with
    numbers drawn from a seed. is_drawn: whether there are such numbers.
    """

    key: str
    name: str
    formula: str
    description: str
    apply: Apply
    is_drawn: bool


def _add_to_scores(trace: Trace, seed: int, shape: tuple[int, int]) -> Trace:
    constants = 3 * generator(seed, Stream.CHANGES).standard_normal(shape)
    return rerun(trace, bias=constants if trace.bias is None else trace.bias + constants)


def _row_constants(trace: Trace, seed: int) -> Trace:
    return _add_to_scores(trace, seed, (trace.sizes["T"], 1))


def _column_constants(trace: Trace, seed: int) -> Trace:
    return _add_to_scores(trace, seed, (1, trace.sizes["S"]))


def _key_bias(trace: Trace, seed: int) -> Trace:
    vector = generator(seed, Stream.CHANGES).standard_normal(trace.projections.w_k.shape[1])
    return rerun(trace, projections=with_bias(trace.projections, "b_k", vector))


def _query_bias(trace: Trace, seed: int) -> Trace:
    vector = generator(seed, Stream.CHANGES).standard_normal(trace.projections.w_q.shape[1])
    return rerun(trace, projections=with_bias(trace.projections, "b_q", vector))


def _query_key_basis(trace: Trace, seed: int) -> Trace:
    return _in_another_basis(trace, seed, kept="value")


def _value_basis(trace: Trace, seed: int) -> Trace:
    return _in_another_basis(trace, seed, kept="query_key")


def _in_another_basis(trace: Trace, seed: int, kept: str) -> Trace:
    """The layer in another basis but for the matrices of one name, which stay as they are."""
    change = random_basis_change(trace.projections, seed)
    matrices_GXX = getattr(change, kept)
    neutral_GXX = np.broadcast_to(np.eye(matrices_GXX.shape[-1]), matrices_GXX.shape)
    changed = with_basis_change(trace.projections, replace(change, **{kept: neutral_GXX}))
    return rerun(trace, projections=changed)


def _softmax_of_all(scaled: Array, masked_BHTS: Array, options: Options) -> Array:
    """One softmax over all scores of a head."""
    flat = masked_BHTS.reshape(*masked_BHTS.shape[:2], -1)
    shares: Array = softmax(flat).reshape(masked_BHTS.shape)
    return shares


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


def _additive(trace: Trace, seed: int) -> Trace:
    given = run_inputs(trace)
    options = options_of(trace)._replace(allowed=given.mask, bias=given.bias)
    connection = trace.inputs if trace.residual else None
    steps = LayerSteps(heads=_additive_heads)
    layer = run_layer(trace.inputs, trace.memory, trace.projections, options, connection, steps)
    return layer.labelled(trace.tokens, trace.memory_tokens)


def _one_for_both(trace: Trace, seed: int) -> Trace:
    return with_keys_from_queries(trace)


def _inputs_as_values(trace: Trace, seed: int) -> Trace:
    return rerun(trace, projections=values_from_inputs(trace.projections))


_APPLY: Mapping[str, Apply] = {
    "row_constants": _row_constants,
    "column_constants": _column_constants,
    "key_bias": _key_bias,
    "query_bias": _query_bias,
    "query_key_basis": _query_key_basis,
    "value_basis": _value_basis,
    "one_softmax": _one_softmax,
    "additive": _additive,
    "one_for_both": _one_for_both,
    "inputs_as_values": _inputs_as_values,
}
LAYER_CHANGES = tuple(
    LayerChange(apply=_APPLY[row["key"]], is_drawn=row.pop("drawn") == "yes", **row)
    for row in read_table("layer_changes")
)


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
