"""The table of the arrays that the layer computes."""

from __future__ import annotations

from attention_core import STEPS, Trace
from attention_lab import notation
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import Notation

from ..markdown import plain


def array_table(trace: Trace, text: Notation) -> str:
    """Every field of the trace: symbol, name in the code, axes, size, formula, and what
    happened.
    """
    lines = ["| symbol | array | axes | size | formula | what it is |", "|---|---|---|---|---|---|"]
    for name in STEPS:
        sizes = " × ".join(map(str, notation.shape(trace, name, text)))
        named = ", ".join(notation.axes(trace, name, text))
        lines.append(
            f"| ${notation.symbol(name, text).latex}$ | `{name}` | {plain(named)} "
            f"| {sizes} | ${formula(trace, name, text)}$ | {notation.says(trace, name, text)} |"
        )
    return "\n".join(lines)
