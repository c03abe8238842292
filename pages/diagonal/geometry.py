"""In the plane: tokens as arrows, the half-plane of those that out-vote one of them, and where
the outputs lie.
"""

from dataclasses import replace

import streamlit as st

from attention_lab.diagonal.geometry import half_plane_of
from attention_lab.diagonal.presets import typed
from attention_lab.diagonal.settings import DiagonalSettings, trace_of_settings
from attention_lab.diagonal.token_matrices import format_tokens
from attention_ui.board import show_board
from attention_ui.diagonal import geometry
from attention_ui.diagonal.controls import say_cut
from attention_ui.facts import fact
from attention_ui.markdown import plain
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_viz.diagonal.geometry import plane, row_says
from attention_viz.diagonal.self_attention_mass import named, plane_board

WHY = {
    "points": (
        "its projection onto the arrow, counted in its direction, is longer than the arrow, "
        "$x_j \\cdot x_i > |x_i|^2$."
    ),
    "tied": (
        "$k_j \\cdot q_i > k_i \\cdot q_i$. With tied weights key and query are one arrow: only"
        " longer ones can."
    ),
    "free": (
        "$k_j \\cdot q_i > k_i \\cdot q_i$. With free weights its own key lies anywhere; nothing"
        " favours itself."
    ),
}
WHAT = {
    "points": (
        "Points of the plane: tokens with C = 2 features and no weights, so that query, key and"
        " value are one."
    ),
    "tied": (
        "The words of the sentence in a head with d_k = 2 whose keys have the weights of its"
        " queries."
    ),
    "free": "The words of the sentence in a head with d_k = 2 whose weights are unrelated.",
}
now = page_context()
kind = choose_one("What is drawn", WHAT, "points", key="plane_of")
st.caption(WHAT[fact("drawn", kind)])
points = geometry.points()
if kind == "points":
    trace = trace_of_settings(typed(format_tokens(points)))
    geometry.examples()
else:
    say_cut(now.scenario.text)
    trace = trace_of_settings(
        replace(DiagonalSettings(), text=now.scenario.text, weights=kind, d_k=2)
    )
picture, beside = st.columns([1, 1])
with beside:
    token = geometry.choose_token(trace.sizes["T"])
    name = plain(named(trace)[token])
    if kind == "points":
        geometry.sliders(points, token)
    fact("chosen_token", token)
    fact("others", trace.sizes["T"] - 1)
    has_half_plane = fact("has_half_plane", half_plane_of(trace, token).has_direction)
    st.markdown(
        f"**Token “{name}”:** {plain(row_says(trace, token))}. "
        + (
            f"A key out-votes it exactly if it lies in the shaded half-plane: {WHY[kind]}"
            if has_half_plane
            else (
                "Its query is 0, so all keys score 0 with it: there is no half-plane to shade, no"
                " key can out-vote it, and it reads all tokens alike."
            )
        )
    )
    if kind == "points":
        show_board(plane_board(trace, (token, token)), "plane", on_pin=geometry.pin)
with picture:
    show_figure(plane(trace, token), "plane")
    st.caption(
        "Dashed: the hull of the values. Every output is an average of values, so no diamond ever"
        " leaves it."
        if kind == "points"
        else (
            "Keys are arrows from the origin; in blue the query of the chosen token, in orange its"
            " own key where that is another arrow. Where arrows crowd, point at one to read its"
            " word."
        )
    )
if kind == "points":
    with st.expander(
        "All points as a table", icon=":material/table:", key="plane points", on_change="rerun"
    ) as opened:
        if opened.open:
            geometry.table(points)
    st.markdown(
        "**Try:** pull a token to the outside of the others: from some length on its own row peaks"
        " on the diagonal. Put one between the others: *a token inside the hull of the others is"
        " always out-voted* (or tied). Turn one around: the Gram matrix shows a negative product,"
        " and the longer the two are, the less they read each other."
    )
