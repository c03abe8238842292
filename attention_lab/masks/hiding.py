"""Ways to hide a key: several masks at once, before or after the scale, with -inf or with a large
negative number, and for a query alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import cast

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import sink_softmax, softmax
from attention_core.masks import causal_mask, window_mask
from attention_core.numbers import check_range
from attention_core.trace import Trace

from ..heads.reruns import rerun
from ..home import read_table


def combine_masks(masks: Mapping[str, Array]) -> Array | None:
    """What all masks together allow; None if there is no mask.

    >>> first, second = np.array([True, True, False]), np.array([False, True, True])
    >>> combine_masks({"first": first, "second": second}).tolist()
    [False, True, False]
    """
    return reduce(np.logical_and, masks.values()) if masks else None


def hidden_by(masks: Mapping[str, Array], query: int, key: int, batch: int = 0) -> tuple[str, ...]:
    """The names of the masks that hide a key from a query. Shapes: each mask broadcasts to (B,
    1, T, S).
    """
    names = []
    for name, mask in masks.items():
        mask_BHTS = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
        n_batch, _, n_queries, n_keys = mask_BHTS.shape
        if not mask_BHTS[batch % n_batch, 0, query % n_queries, key % n_keys]:
            names.append(name)
    return tuple(names)


DEFAULT_BIAS = -4.0
FINITE = "a small bias"
# The numbers that are added to the score of a key to hide it, by name, and their effects.
HIDING_VALUES = {
    row["name"]: (float(row["value"]), row["effect"]) for row in read_table("hiding_values")
}


def hide_with(value: float, logits: Array, allowed: Array, sink: float | None = None) -> Array:
    """The probabilities when `value` is added to the scores of the keys that should be hidden.

    logits: what goes into the softmax if nothing is hidden. sink: one more score of every row of a
    head. Shapes: (..., T, S) -> (..., T, S); with a sink (T, S).
    """
    with np.errstate(over="ignore"):
        hidden = logits + np.where(allowed, 0.0, value).astype(logits.dtype)
    if sink is None:
        return softmax(hidden)
    shares = sink_softmax(hidden[np.newaxis, np.newaxis], np.array([sink], hidden.dtype))
    return cast(Array, shares[0, 0])


def leaked_share(probabilities: Array, allowed: Array) -> Array:
    """The sum of the shares that a query gives to hidden keys. Shapes: (..., T, S) -> (..., T).
    Range: 0 to 1.
    """
    leaked: Array = np.where(allowed, 0.0, probabilities).sum(axis=-1)
    return leaked


@dataclass(frozen=True, eq=False)
class MaskOrder:
    """Probabilities with the mask after the scale and before it, and the largest difference.
    Shapes: (..., T, S).
    """

    scale_first: Array
    mask_first: Array
    gap: float


def compare_orders(scores: Array, scale: float, addend: Array) -> MaskOrder:
    """The mask after the scale and before it: softmax(s·scale + m) and softmax((s + m)·scale).

    For m = -inf both are equal. A finite bias differs: if it is added first, it is scaled too.
    Shapes: scores (..., T, S); addend broadcasts to them. scale: above 0,
    because another one shows hidden keys again. Raises: SettingsError if the scores grow beyond the
    range of their type.

    >>> order = compare_orders(np.array([[0.0, 0.0]]), 0.5, np.array([0.0, -2.0]))
    >>> order.scale_first.round(3).tolist(), order.mask_first.round(3).tolist()
    ([[0.881, 0.119]], [[0.731, 0.269]])
    """
    with np.errstate(over="ignore"):
        check_range(scores * scale)
        scale_first = softmax(scores * scale + addend)
        mask_first = softmax((scores + addend) * scale)
    return MaskOrder(scale_first, mask_first, float(np.abs(scale_first - mask_first).max()))


@dataclass(frozen=True)
class LastQuery:
    """The query of the last token alone, with the keys of all tokens.

    hidden_top_left: how many keys a mask from the top left hides. top_left, bottom_right: the
    largest difference between the output with each mask and that of the whole sequence.
    """

    hidden_top_left: int
    top_left: float
    bottom_right: float


def last_query_alone(trace: Trace) -> LastQuery:
    """The last token of the layer under a causal mask on all tokens, and as a single query that
    keeps its position and meets the keys of all tokens. Self-attention only.

    What a row holds depends on no other query, so each mask of a single query is given to all rows,
    and the last one is read.

    >>> from attention_core import Projections, attend
    >>> last = last_query_alone(attend([[1.0], [2.0], [3.0]], Projections.weightless(1)))
    >>> last.hidden_top_left, round(last.top_left, 2), last.bottom_right
    (2, 1.95, 0.0)
    """
    n_keys = trace.sizes["S"]
    corners_1S = causal_mask(1, n_keys), window_mask(n_keys, n_keys, right=0)[-1:]
    masks_TS = [np.broadcast_to(one, (n_keys, n_keys)) for one in corners_1S]
    runs = [rerun(trace, mask=one, residual=False) for one in (causal_mask(n_keys), *masks_TS)]
    whole, *alone = (one.output[:, -1] for one in runs)
    gaps = (float(np.abs(one - whole).max()) for one in alone)
    return LastQuery(int((~corners_1S[0]).sum()), *gaps)
