"""Geometry: tokens as arrows in the plane, the keys that beat a token, and where outputs lie."""

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

now = page_context()
kind = choose_one("What is drawn", geometry.SAYS, "points", key="plane_of")
st.caption(geometry.SAYS[fact("drawn", kind)])
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
    if kind == "points":
        geometry.sliders(points, token)
    fact("chosen_token", token)
    fact("others", trace.sizes["T"] - 1)
    has_half_plane = fact("has_half_plane", half_plane_of(trace, token).has_direction)
    st.markdown(f"**Token “{plain(named(trace)[token])}”.** {plain(row_says(trace, token))}")
    st.markdown(geometry.WHO_BEATS[has_half_plane and kind])
    if kind == "points":
        show_board(plane_board(trace, (token, token)), "plane", on_pin=geometry.pin)
with picture:
    show_figure(plane(trace, token), "plane")
    st.caption(geometry.PICTURE_SAYS[kind])
if kind == "points":
    with st.expander(
        "All points as a table", icon=":material/table:", key="plane points", on_change="rerun"
    ) as opened:
        if opened.open:
            geometry.table(points)
    st.markdown(
        "**Try:** pull a token away from the others: from some length on, its row has its maximum"
        " on the diagonal. Put a token between the others: *a token inside the convex hull of the"
        " others is always beaten*, or tied. Turn a token around: the Gram matrix X Xᵀ, which"
        " holds the dot products of all tokens, shows a negative product, and the longer the two"
        " tokens are, the less they read each other."
    )
