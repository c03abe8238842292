"""One wide head beside the heads of the layer: the switch, the way to it, and what differs."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.heads.one_wide_head import Cost, cost_of, one_wide_head
from attention_viz.labels import counted, number

from ..facts import fact
from ..page_context import PageContext
from ..registry import page_of
from ..url_state import bound, request_page

BESIDE = "beside_one"


def choose_beside(trace: Trace) -> Trace | None:
    """Draw the switch, and give the layer with one head where it is on. Raises: SettingsError."""
    on = bound(
        st.toggle,
        "Beside one head",
        key=BESIDE,
        help="The same weights once more, as a single head as wide as all heads together.",
    )
    return one_wide_head(trace) if on else None


def open_beside() -> None:
    """In a callback: go to all heads with one head beside them."""
    head = st.session_state.get("head", 0)
    request_page(page_of("all-heads").path, **{"head": head, BESIDE: "true"})


def say_beside(now: PageContext, one: Trace) -> None:
    """What stays and what changes when the same matrices are one head or several."""
    trace, cell = now.trace, now.focus.cell("query", "key")
    before, after = fact("costs", (cost_of(one), cost_of(trace)))
    heads = counted(after.distributions, "head")
    st.markdown(_table(before, after, heads))
    parts = trace.scores[0, :, *cell[1:]]
    total = float(fact("score_of_one_head", one.scores[0, 0, *cell[1:]]))
    added = " + ".join(number(float(part), 2) for part in parts).replace("+ −", "− ")
    says = (
        f"**The same numbers, cut differently.** The one head adds up the scores of all heads, here"
        f" {added} ≈ {number(total, 2)}, before a single softmax: each query has one distribution."
        f" {heads[:1].upper()}{heads[1:]} give each query {after.distributions}, one for each thing"
        " it may look for."
    )
    few = "There is one head already: choose more of them in the sidebar."
    st.markdown(says if fact("several_heads", after.distributions > 1) else few)


def _table(one: Cost, many: Cost, heads: str) -> str:
    rows = (
        ("features of a query in a head, d_k", one.width, many.width),
        ("numbers in all weights", one.parameters, many.parameters),
        ("scores: heads × queries × keys", one.scores, many.scores),
        ("multiplications for the scores", one.multiplications, many.multiplications),
        ("distributions of each query", one.distributions, many.distributions),
    )
    lines = [f"| | one head | {heads} |", "|---|--:|--:|"]
    return "\n".join([*lines, *(f"| {name} | {a:,} | {b:,} |" for name, a, b in rows)])
