"""The NumPy statements of every step, as a reader would write them, for the options of one layer.

They are shown, and a test runs them: each reproduces its field of the `Trace` from the fields
before it. The engine itself computes the same with fewer temporary arrays (see `formulas`).
"""

from __future__ import annotations

from typing import Protocol

from .checks import Array
from .projections import Projections


class Layer(Protocol):
    """What the statements depend on; a `Trace` has all of it."""

    @property
    def inputs(self) -> Array: ...
    @property
    def memory(self) -> Array: ...
    @property
    def projections(self) -> Projections: ...
    @property
    def softcap(self) -> float | None: ...
    @property
    def mask(self) -> Array | None: ...
    @property
    def bias(self) -> Array | None: ...
    @property
    def residual(self) -> bool: ...
    @property
    def empty_rows_as(self) -> str: ...
    @property
    def empty_rows(self) -> Array: ...


def inputs(layer: Layer) -> str:
    return "inputs = x"


def memory(layer: Layer) -> str:
    return "memory = inputs" if layer.memory is layer.inputs else "memory = other_sequence"


def queries(layer: Layer) -> str:
    return f"queries = inputs @ w_q{_plus(layer, 'b_q')}"


def keys(layer: Layer) -> str:
    return f"keys = memory @ w_k{_plus(layer, 'b_k')}"


def values(layer: Layer) -> str:
    return f"values = memory @ w_v{_plus(layer, 'b_v')}"


def query_heads(layer: Layer) -> str:
    return "query_heads = queries.reshape(B, T, H, K).swapaxes(1, 2)"


def key_heads(layer: Layer) -> str:
    return f"key_heads = keys.reshape(B, S, {_groups(layer)}, K).swapaxes(1, 2)"


def value_heads(layer: Layer) -> str:
    return f"value_heads = values.reshape(B, S, {_groups(layer)}, V).swapaxes(1, 2)"


def scores(layer: Layer) -> str:
    return f"scores = query_heads @ {_shared(layer, 'key_heads')}.swapaxes(-1, -2)"


def scaled_scores(layer: Layer) -> str:
    capped = (
        ""
        if layer.softcap is None
        else "\nscaled_scores = softcap * np.tanh(scaled_scores / softcap)"
    )
    return "scaled_scores = scores * scale" + capped


def masked_scores(layer: Layer) -> str:
    biased = "scaled_scores" if layer.bias is None else "scaled_scores + bias"
    return (
        f"masked_scores = {biased if layer.mask is None else f'np.where(mask, {biased}, -np.inf)'}"
    )


def probabilities(layer: Layer) -> str:
    lines = [
        "row_max = masked_scores.max(axis=-1, keepdims=True)",
        "exponentials = np.exp(masked_scores - row_max)",
        "row_sum = exponentials.sum(axis=-1, keepdims=True)",
        "probabilities = exponentials / row_sum",
    ]
    if layer.empty_rows_as == "zero" and layer.empty_rows.any():
        lines.insert(
            1,
            "row_max = np.where(np.isneginf(row_max), 0, row_max)  # a row with nothing to"
            " attend to",
        )
        lines[-1] = "probabilities = exponentials / np.where(row_sum == 0, 1, row_sum)"
    return "\n".join(lines)


def head_outputs(layer: Layer) -> str:
    return f"head_outputs = probabilities @ {_shared(layer, 'value_heads')}"


def merged(layer: Layer) -> str:
    return "merged = head_outputs.swapaxes(1, 2).reshape(B, T, H * V)"


def output(layer: Layer) -> str:
    mixed = "merged" if layer.projections.w_o is None else "merged @ w_o"
    return f"output = {mixed}{_plus(layer, 'b_o')}{' + inputs' if layer.residual else ''}"


def _plus(layer: Layer, bias: str) -> str:
    return f" + {bias}" if getattr(layer.projections, bias) is not None else ""


def _groups(layer: Layer) -> str:
    return "H" if layer.projections.groups == layer.projections.n_heads else "G"


def _shared(layer: Layer, heads: str) -> str:
    return (
        heads
        if layer.projections.groups == layer.projections.n_heads
        else f"np.repeat({heads}, H // G, axis=1)"
    )
