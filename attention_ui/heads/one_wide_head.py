"""One wide head beside the heads of the layer: the switch, a link to it, and a comparison."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.heads.one_wide_head import LayerCost, layer_cost, one_wide_head
from attention_viz.labels import format_number

from ..facts import fact
from ..page_context import PageContext
from ..registry import page_of
from ..url_state import draw_bound, request_page

ONE_WIDE_HEAD_KEY = "beside_one"  # the name in the URL


def choose_one_wide_head(trace: Trace) -> Trace | None:
    """Draw the switch; return the layer with one wide head if it is on. Raises: SettingsError."""
    on = draw_bound(
        st.toggle,
        "Add one wide head",
        key=ONE_WIDE_HEAD_KEY,
        help="Shows the same weights as a single head, as wide as all heads together.",
    )
    return one_wide_head(trace) if on else None


def open_one_wide_head() -> None:
    """In a callback: open *All heads* with the one wide head beside the others."""
    head = st.session_state.get("head", 0)
    request_page(page_of("all-heads").path, **{"head": head, ONE_WIDE_HEAD_KEY: "true"})


def compare_with_one_wide_head(now: PageContext, one: Trace) -> None:
    """What stays and what changes when the same matrices are one head or several."""
    trace, cell = now.trace, now.focus.cell("query", "key")
    before, after = fact("costs", (layer_cost(one), layer_cost(trace)))
    st.markdown(_table(before, after))
    if not fact("several_heads", after.distributions > 1):
        st.markdown("This layer has only one head. Choose more heads in the sidebar.")
        return
    parts = trace.scores[0, :, *cell[1:]]
    total = float(fact("score_of_one_head", one.scores[0, 0, *cell[1:]]))
    added = " + ".join(format_number(float(part), 2) for part in parts).replace("+ −", "− ")
    st.markdown(
        "**The same numbers, cut differently.** The one wide head adds the scores of all heads, in"
        f" this cell {added} ≈ {format_number(total, 2)}, and applies one softmax: each query has"
        " one distribution. The layer applies a softmax in each head. Distributions per query:"
        f" {after.distributions}, so a query can look for several things at once."
    )


def _table(one: LayerCost, several: LayerCost) -> str:
    rows = (
        ("features of a query in a head, d_k", one.width, several.width),
        ("numbers in all weights", one.parameters, several.parameters),
        ("scores: heads × queries × keys", one.scores, several.scores),
        ("multiplications for the scores", one.multiplications, several.multiplications),
        ("distributions of each query", one.distributions, several.distributions),
    )
    lines = [f"| | one wide head | heads: {several.distributions} |", "|---|--:|--:|"]
    return "\n".join([*lines, *(f"| {name} | {a:,} | {b:,} |" for name, a, b in rows)])
