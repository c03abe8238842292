"""The same layer once more, with something changed."""

from __future__ import annotations

from typing import Any

from attention_core.attention import attend
from attention_core.checks import check_choice
from attention_core.trace import Trace


def rerun(trace: Trace, **changes: Any) -> Trace:
    """Attend again with what a trace was given, but for the arguments of `attend` that are named
    here.

    Changed inputs must have as many tokens as before, because masks, biases and labels stay.
    Raises: ShapeError, SettingsError.

    >>> from attention_core import Projections
    >>> trace = attend([[1.0], [2.0]], Projections.weightless(1))
    >>> rerun(trace, scale=0.0).probabilities[0, 0].tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    given: dict[str, Any] = {
        "x": trace.inputs,
        "projections": trace.projections,
        "memory": None if trace.memory is trace.inputs else trace.memory,
        "mask": trace.mask,
        "bias": trace.bias,
        "scale": trace.scale,
        "softcap": trace.softcap,
        "residual": trace.residual,
        "empty_rows": trace.empty_rows_as,
    }
    for name in changes:
        check_choice("the changed argument", name, (*given, "causal"))
    return attend(**(given | changes)).labelled(trace.tokens, trace.memory_tokens)
