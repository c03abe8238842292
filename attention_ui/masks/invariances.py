"""Changes of scores and weights that the layer sees, and changes that it does not."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.heads.reruns import gaps
from attention_lab.masks.invariances import CHANGES
from attention_lab.rounding import tolerance
from attention_viz.labels import number
from attention_viz.masks import invariances as boards

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext
from ..url_state import KEPT, bound, whole_number_input


def small(gap: float, rounding: bool = False) -> str:
    """A difference as Markdown. rounding: whether it comes from rounding alone."""
    if gap and not rounding:
        return f"**{number(gap)}**"
    return "**0** up to rounding" if gap else "**0**"


def constants(now: PageContext) -> None:
    """Changes of scores and weights that the layer sees, and changes that it does not."""
    names = {change.key: change.name for change in CHANGES}
    left, right = st.columns([3, 2])
    key = bound(
        left.selectbox,
        "Change",
        tuple(names),
        key="inv_change",
        **KEPT,
        help="; ".join(f"{k}: {v}" for k, v in names.items()),
    )
    seed = whole_number_input(right, "Numbers drawn from seed", 0, 999, 0, key="inv_seed", **KEPT)
    change = next((one for one in CHANGES if one.key == key), CHANGES[0])
    after = change.apply(now.trace, int(seed))
    found = gaps(now.trace, after)
    stays = fact("stays_in_theory", change.same)
    fact("probabilities_moved", found.probabilities)
    fact("output_moved", found.output)
    rounding = tolerance(now.trace, "probabilities")
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(
        f"Changed: **{change.name}**. {now.turned(change.says)}\n\nIn theory the output"
        f" **{_theory(stays)}**. Measured, the largest difference: of a probability"
        f" {small(found.probabilities, stays and found.probabilities <= rounding)}, of the output"
        f" {small(found.output, stays)}."
    )
    right.latex(change.formula)
    show_board(
        boards.changed(now.trace, after, change.key, now.focus.cell("query", "key"), now.notation),
        "change",
    )
    with st.expander(
        "All changes at once", key="inv all", on_change="rerun", icon=":material/table:"
    ) as table:
        if table.open:
            st.markdown(_all_changes(now.trace, int(seed)))


def _all_changes(trace: Trace, seed: int) -> str:
    lines = [
        "| change | the output, in theory | probabilities, measured | output, measured |",
        "|---|---|---|---|",
    ]
    for change in CHANGES:
        found = gaps(trace, change.apply(trace, seed))
        lines.append(
            f"| {change.name} | {_theory(change.same)} | {number(found.probabilities)} |"
            f" {number(found.output)} |"
        )
    return "\n".join(lines)


def _theory(same: bool) -> str:
    """What becomes of the output: a change that it can show need not show, for example with a
    single token.
    """
    return "stays" if same else "may change"
