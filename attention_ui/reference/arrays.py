"""The arrays that the layer computes, as a table and one by one."""

from __future__ import annotations

from attention_core import STEPS, Step, Trace
from attention_lab import notation
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import Notation

from ..markdown import escape_markdown


def array_table(trace: Trace, text: Notation) -> str:
    """Every array as a Markdown table: symbol, name in the code, axes, size, formula, meaning."""
    lines = ["| symbol | array | axes | size | formula | what it is |", "|---|---|---|---|---|---|"]
    for name in STEPS:
        sizes = " × ".join(map(str, notation.shape(trace, name, text)))
        named = ", ".join(notation.axes(trace, name, text))
        lines.append(
            f"| ${notation.symbol(name, text).latex}$ | `{name}` | {escape_markdown(named)} "
            f"| {sizes} | ${formula(trace, name, text)}$ | {trace.sentence(name)} |"
        )
    return "\n".join(lines)


def shown_head(step: Step, head: int) -> int | None:
    """The head whose matrix is shown; None for an array without heads."""
    if step.per_head:
        return head
    return None


def head_words(head: int | None) -> str:
    """Which heads a matrix shows, in words."""
    if head is None:
        return "all, in one matrix"
    return f"head {head}; the sidebar has the others"


def made_from(trace: Trace, field: str) -> list[str]:
    """The arrays from which one is computed; the output needs the inputs only if they are added."""
    needs = STEPS[field].needs.split()
    if field == "output" and not trace.residual:
        needs.remove("inputs")
    return needs
