"""Geometry: tokens as arrows in the plane, the keys that beat a token, and where outputs lie."""

from dataclasses import replace

import streamlit as st

from attention_lab.diagonal.geometry import half_plane_of
from attention_lab.diagonal.settings import DiagonalSettings, settings_of_numbers, trace_of_settings
from attention_lab.diagonal.token_matrices import format_tokens
from attention_ui.board import show_board
from attention_ui.diagonal import charts
from attention_ui.diagonal.controls import show_cut_note
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.url_state import choose_one
from attention_viz.diagonal.geometry import describe_row, plane
from attention_viz.diagonal.self_attention_mass import plane_board, token_names
from attention_viz.markdown import escape_markdown

now = page_context()
kind = choose_one("What is drawn", charts.DRAWN_DESCRIPTIONS, "points", key="plane_of")
st.caption(charts.DRAWN_DESCRIPTIONS[kind])
points = charts.shown_points()
if kind == "points":
    trace = trace_of_settings(settings_of_numbers(format_tokens(points)))
    charts.show_plane_examples()
else:
    show_cut_note(now.scenario.text)
    trace = trace_of_settings(
        replace(DiagonalSettings(), text=now.scenario.text, weights=kind, d_k=2)
    )
picture, beside = st.columns([1, 1])
with beside:
    token = charts.choose_plane_token(trace.sizes["T"])
    if kind == "points":
        charts.show_sliders(points, token)
    st.markdown(
        f"**Token “{escape_markdown(token_names(trace)[token])}”.**"
        f" {escape_markdown(describe_row(trace, token))}"
    )
    st.markdown(charts.BEATING_CONDITIONS[half_plane_of(trace, token).has_direction and kind])
with picture:
    show_figure(plane(trace, token), "plane")
    st.caption(charts.PICTURE_CAPTIONS[kind])
if kind == "points":
    st.caption(
        "The tokens X, their Gram matrix X Xᵀ, which holds the dot products of all tokens with each"
        " other, and its softmax after division by √2. Click a cell to choose the token of its row."
    )
    board = plane_board(trace, (token, token))
    show_board(board, "plane", on_pin=charts.choose_clicked_token, fits=True)
    with st.expander(
        "All points as a table", icon=":material/table:", key="plane points", on_change="rerun"
    ) as opened:
        if opened.open:
            charts.show_table(points)
    st.markdown(
        "**Try:** pull a token away from the others: from some length on, its row has its maximum"
        " on the diagonal. Put a token between the others: *a token inside the convex hull of the"
        " others is always beaten*, or tied. Turn a token away from another by more than 90°: their"
        " dot product in the Gram matrix is negative. The longer the two tokens are, the less they"
        " read each other."
    )
