"""The NumPy statements of every step, as a reader would write them, for the options of one trace.

They are shown, and a test runs them: each reproduces its field of the `Trace` from the fields before it. The engine
itself computes the same with fewer temporary arrays (see `formulas`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .trace import Trace


def inputs(trace: Trace) -> str:
    return "inputs = x"


def memory(trace: Trace) -> str:
    return "memory = inputs" if trace.memory is trace.inputs else "memory = other_sequence"


def queries(trace: Trace) -> str:
    return f"queries = inputs @ w_q{_plus(trace, 'b_q')}"


def keys(trace: Trace) -> str:
    return f"keys = memory @ w_k{_plus(trace, 'b_k')}"


def values(trace: Trace) -> str:
    return f"values = memory @ w_v{_plus(trace, 'b_v')}"


def query_heads(trace: Trace) -> str:
    return "query_heads = queries.reshape(B, T, H, K).swapaxes(1, 2)"


def key_heads(trace: Trace) -> str:
    return f"key_heads = keys.reshape(B, S, {_groups(trace)}, K).swapaxes(1, 2)"


def value_heads(trace: Trace) -> str:
    return f"value_heads = values.reshape(B, S, {_groups(trace)}, V).swapaxes(1, 2)"


def scores(trace: Trace) -> str:
    return f"scores = query_heads @ {_shared(trace, 'key_heads')}.swapaxes(-1, -2)"


def scaled_scores(trace: Trace) -> str:
    capped = "" if trace.softcap is None else "\nscaled_scores = softcap * np.tanh(scaled_scores / softcap)"
    return "scaled_scores = scores * scale" + capped


def masked_scores(trace: Trace) -> str:
    biased = "scaled_scores" if trace.bias is None else "scaled_scores + bias"
    return f"masked_scores = {biased if trace.mask is None else f'np.where(mask, {biased}, -np.inf)'}"


def probabilities(trace: Trace) -> str:
    lines = [
        "row_max = masked_scores.max(axis=-1, keepdims=True)",
        "exponentials = np.exp(masked_scores - row_max)",
        "row_sum = exponentials.sum(axis=-1, keepdims=True)",
        "probabilities = exponentials / row_sum",
    ]
    if trace.empty_rows_as == "zero" and trace.empty_rows.any():
        lines.insert(1, "row_max = np.where(np.isneginf(row_max), 0, row_max)  # a row with nothing to attend to")
        lines[-1] = "probabilities = exponentials / np.where(row_sum == 0, 1, row_sum)"
    return "\n".join(lines)


def head_outputs(trace: Trace) -> str:
    return f"head_outputs = probabilities @ {_shared(trace, 'value_heads')}"


def merged(trace: Trace) -> str:
    return "merged = head_outputs.swapaxes(1, 2).reshape(B, T, H * V)"


def output(trace: Trace) -> str:
    mixed = "merged" if trace.projections.w_o is None else "merged @ w_o"
    return f"output = {mixed}{_plus(trace, 'b_o')}{' + inputs' if trace.residual else ''}"


def _plus(trace: Trace, bias: str) -> str:
    return f" + {bias}" if getattr(trace.projections, bias) is not None else ""


def _groups(trace: Trace) -> str:
    return "H" if trace.sizes["G"] == trace.sizes["H"] else "G"


def _shared(trace: Trace, heads: str) -> str:
    return heads if trace.sizes["G"] == trace.sizes["H"] else f"np.repeat({heads}, H // G, axis=1)"
