"""The largest effect of rounding on the numbers of a trace, for checks as strict as possible.

Each step has a magnitude: its rounding errors are a small part of it. It follows from the
magnitudes of the steps before. A projection counts the absolute values of its terms, for the
rounding is theirs even where they cancel. An error in one factor of a later product is multiplied
by the other factor. No probability is wrong by more than 1.
"""

from collections.abc import Callable, Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import cut_heads, join_heads
from attention_core.numbers import MAX_OF_TYPE
from attention_core.positions import pair_members
from attention_core.trace import Trace

from .cache import cached

# 450 and 84 roundings; a sum of n terms in another order differs by n of them at worst, by √n as a
# rule.
RELATIVE_ROUNDING = {np.dtype(np.float64): 1e-13, np.dtype(np.float32): 1e-5}
Before = Mapping[str, Array]
MagnitudeOf = Callable[[Trace, Before], Array]
# Near zero, numbers are rounded to whole steps of the smallest number, and a long sum may be a
# hundred steps off. One more digit of the largest number would be infinity.
ROUNDING_RANGE = {
    dtype: (100 * float(np.finfo(dtype).smallest_subnormal), most / 2)
    for dtype, most in MAX_OF_TYPE.items()
}


def tolerance(trace: Trace, field: str) -> float:
    """The largest difference between a field and the same sums in another order, on any machine.

    Units or range: 1e-13 (float32: 1e-5) of the sum of absolute values, see `MAGNITUDES`; within
    `ROUNDING_RANGE`.

    >>> from attention_core import Projections, attend
    >>> tolerance(attend([[3.0]], Projections.weightless(1)), "scores")
    1.8e-12
    """
    dtype = trace.output.dtype
    low, high = ROUNDING_RANGE[dtype]
    # In this order NaN, infinity times zero, becomes the upper limit.
    return max(low, min(high, RELATIVE_ROUNDING[dtype] * magnitudes(trace)[field]))


@cached
@np.errstate(over="ignore", invalid="ignore")
def magnitudes(trace: Trace) -> dict[str, float]:
    """The number of each field to which its rounding error is relative, from step to step."""
    sizes: dict[str, Array] = {}
    for name in trace.steps:
        sizes[name] = MAGNITUDES[name](trace, sizes)
    return {field: float(array.max()) for field, array in sizes.items()}


def given(field: str) -> MagnitudeOf:
    """The numbers that the layer is given."""
    return lambda layer, before: np.abs(getattr(layer, field))


def projected(source: str, weights: str, bias: str) -> MagnitudeOf:
    """The absolute values of all terms."""

    def magnitude(layer: Trace, before: Before) -> Array:
        p = layer.projections
        return np.asarray(before[source] @ np.abs(getattr(p, weights)) + _largest(getattr(p, bias)))

    return magnitude


def split(source: str, heads: str) -> MagnitudeOf:
    """The magnitudes of the fused matrix, cut into heads."""
    return lambda layer, before: cut_heads(before[source], layer.sizes[heads])


def normed(made: str, gain: str) -> MagnitudeOf:
    """The errors of the vector relative to its root mean square: its own, and that of the root."""

    def magnitude(layer: Trace, before: Before) -> Array:
        (source,), epsilon = layer.needs(made), layer.head_norm.epsilon if layer.head_norm else 0.0
        vector, error = np.abs(getattr(layer, source)), before[source]
        root = np.sqrt(np.square(vector).mean(axis=-1, keepdims=True) + epsilon)
        of_root = (vector * error).mean(axis=-1, keepdims=True) / root
        gains = np.abs(getattr(layer, gain))
        return np.asarray(gains * (error / root + vector / root * (1 + of_root / root)))

    return magnitude


def turned(made: str, table: str) -> MagnitudeOf:
    """The errors of both members of a pair; those of the angle are of the size of the position."""

    def magnitude(layer: Trace, before: Before) -> Array:
        (source,), rotary = layer.needs(made), layer.rotary
        counts = np.abs(getattr(layer, table))
        positions = np.abs(np.arange(len(counts)) + (rotary.start if rotary else 0))
        # float64 computes the angles; in float32 their error is that of its cosines alone.
        share = RELATIVE_ROUNDING[np.dtype(np.float64)] / RELATIVE_ROUNDING[layer.output.dtype]
        spread = 1 + share * positions[:, np.newaxis]
        members = pair_members(layer.sizes["K"], rotary.pairs if rotary else "neighbours")
        total = np.zeros_like(before[source])
        for number, members_K in enumerate(members):
            total += before[source][..., members_K] * counts[:, number]
            total += np.abs(getattr(layer, source))[..., members_K] * spread
        return total

    return magnitude


def scores(layer: Trace, before: Before) -> Array:
    """The errors of both factors, each times the other factor."""
    queries, keys = layer.needs("scores")
    key_BHSK, error_BHSK = _read(layer, before, keys)
    scores_BHTS: Array = before[queries] @ key_BHSK.swapaxes(2, 3)
    scores_BHTS += np.abs(getattr(layer, queries)) @ error_BHSK.swapaxes(2, 3)
    return scores_BHTS


def scaled(layer: Trace, before: Before) -> Array:
    """The magnitudes of the scores times the scale."""
    return before["scores"] * abs(layer.scale)


def masked(layer: Trace, before: Before) -> Array:
    """The bias adds its magnitude; minus infinity is exact."""
    biased_BHTS = before["scaled_scores"] + _largest(layer.bias)
    return np.where(np.isfinite(layer.masked_scores), biased_BHTS, 0)


def softmax(layer: Trace, before: Before) -> Array:
    """Errors of scores change a share by a factor of up to e to twice the largest error in the
    row: exponential and sum may move apart. From an error of one half on, a share can be anything.
    """
    shares_BHTS = np.nan_to_num(layer.probabilities)  # NaN in an empty row has no error
    relative = RELATIVE_ROUNDING[layer.output.dtype]
    moved_BHT1 = relative * before["masked_scores"].max(axis=-1, keepdims=True)
    error: Array = shares_BHTS * (np.expm1(2 * np.minimum(moved_BHT1, 0.5)) / relative + 1)
    return np.where(moved_BHT1 < 0.5, error, 1 / relative)


def mixed(layer: Trace, before: Before) -> Array:
    """The errors of the shares times the values, and the other way round."""
    value_BHSV, error_BHSV = _read(layer, before, "value_heads")
    mixed_BHTV: Array = before["probabilities"] @ value_BHSV
    mixed_BHTV += np.nan_to_num(layer.probabilities) @ error_BHSV
    return mixed_BHTV


def merged(layer: Trace, before: Before) -> Array:
    """The magnitudes of the heads, side by side."""
    return join_heads(before["head_outputs"])


def output(layer: Trace, before: Before) -> Array:
    """The magnitudes of the merged heads through W_O, of the bias and of the inputs."""
    p, merged_BTF = layer.projections, before["merged"]
    mixed_BTO = (merged_BTF if p.w_o is None else merged_BTF @ np.abs(p.w_o)) + _largest(p.b_o)
    return mixed_BTO + (before["inputs"] if layer.residual else 0.0)


def _read(layer: Trace, before: Before, field: str) -> tuple[Array, Array]:
    """The key or value head that each query head reads: its absolute values and its magnitudes.
    Shapes: (B, H, S, F) twice.
    """
    n_readers = layer.projections.n_heads // layer.projections.groups
    both = np.abs(getattr(layer, field)), before[field]
    values_BHSF, errors_BHSF = (np.repeat(heads_BGSF, n_readers, axis=1) for heads_BGSF in both)
    return values_BHSF, errors_BHSF


def _largest(array: Array | None) -> float:
    """The largest absolute value among the finite numbers; 0 for nothing."""
    return 0.0 if array is None else float(np.abs(array[np.isfinite(array)]).max(initial=0.0))


# What the rounding errors of each step are a small part of, from those of the fields before it.
MAGNITUDES: dict[str, MagnitudeOf] = {
    "inputs": given("inputs"),
    "memory": given("memory"),
    "queries": projected("inputs", "w_q", "b_q"),
    "keys": projected("memory", "w_k", "b_k"),
    "values": projected("memory", "w_v", "b_v"),
    "query_heads": split("queries", "H"),
    "key_heads": split("keys", "G"),
    "value_heads": split("values", "G"),
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
