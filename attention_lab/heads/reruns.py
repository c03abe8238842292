"""The same layer once more with something changed, and how far the two runs lie apart."""

from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.numbers import check_range
from attention_core.trace import Trace

from .number_range import binary_exponent, scaled_to_one


def layer_options(trace: Trace) -> dict[str, Any]:
    """The arguments of `attend` that belong to a layer, whatever sentence it reads. A bias and a
    mask have the shape of one sentence, and are left out.
    """
    return {
        "projections": trace.projections,
        "scale": trace.scale,
        "softcap": trace.softcap,
        "residual": trace.residual,
        "empty_rows": trace.empty_rows_as,
        "rotary": trace.rotary,
        "head_norm": trace.head_norm,
        "sink": trace.sink,
    }


def rerun(trace: Trace, **changes: Any) -> Trace:
    """Attend again with the same arguments, except those that are named here.

    Changed inputs need the same number of tokens as before, because masks, biases and labels stay.
    Raises: ShapeError, SettingsError.

    >>> from attention_core import Projections
    >>> trace = attend([[1.0], [2.0]], Projections.weightless(1))
    >>> rerun(trace, scale=0.0).probabilities[0, 0].tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    given = layer_options(trace) | {
        "x": trace.inputs,
        "memory": None if trace.memory is trace.inputs else trace.memory,
        "mask": trace.mask,
        "bias": trace.bias,
    }
    return attend(**(given | changes)).labelled(trace.tokens, trace.memory_tokens)


def relative_change(before: Array, after: Array) -> float:
    """How far numbers moved, relative to their length: |after - before| / |before|; 0 if all
    numbers were 0 before.

    Raises: SettingsError for a change beyond the range of float.

    >>> relative_change(np.array([3.0, 4.0]), np.array([3.0, 3.0]))
    0.2
    """
    both = np.stack([after, before])
    moved = np.subtract(*scaled_to_one(both))
    change = np.linalg.norm(moved) / (np.linalg.norm(scaled_to_one(before)) or np.inf)
    with np.errstate(over="ignore"):
        # Two powers of 2, one for each: divided by the power of huge numbers, tiny
        # ones would become 0.
        change = np.ldexp(
            float(change), binary_exponent(both).item() - binary_exponent(before).item()
        )
    check_range(change)
    return float(change)
