"""Heads that are switched off: what the output loses without them."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.heads.head_worth import ablated_output
from attention_lab.heads.reruns import relative_change
from attention_viz.heads import head_worth as drawn
from attention_viz.labels import percent

from ..facts import fact
from ..focus import Focus
from ..show import show_figure
from .heads_choice import choose_heads


def switch_heads_off(trace: Trace, focus: Focus) -> None:
    """The switches of the heads, and what the output becomes without those that are off."""
    st.header("Switch heads off", anchor=False)
    n_heads = trace.sizes["H"]
    help = "A head that is off attends, but adds nothing."
    off = fact("off", choose_heads("off", "Heads that are switched off", n_heads, help))
    if not off:
        st.caption("All heads are on. Switch one off: which tokens need it?")
        return
    without = ablated_output(trace, off)
    moved = fact("moved_without_them", relative_change(trace.output, without))
    left = ""
    if fact("all_off", len(off) == n_heads):
        left = f" All heads are off: what is left is {drawn.left_without_heads(trace)}."
    st.markdown(
        f"Without {drawn.heads_named(off)} the output moves by **{percent(moved)}** of its"
        f" length.{left}"
    )
    with st.container(key="wide worth ablation"):
        ablation = drawn.ablation(trace, without[0], (focus.query, focus.feature))
        show_figure(ablation, "worth ablation", ("query", "feature"))
    if fact("output_features", trace.sizes["O"]) > drawn.MOST_COLUMNS:
        st.caption(
            f"Drawn are {drawn.MOST_COLUMNS} of {trace.sizes['O']} columns, those around the"
            " feature in focus."
        )
