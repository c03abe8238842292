"""Does a token look at itself? How much of its attention each token keeps, and what changes it."""

import streamlit as st

from attention_lab.diagonal.measures import least_self_attention, self_attention_of
from attention_lab.diagonal.metrics import measure_diagonal
from attention_lab.diagonal.settings import trace_of_settings
from attention_ui.board import show_board
from attention_ui.diagonal import controls
from attention_ui.diagonal.self_attention_mass import (
    describe_diagonal,
    describe_pair,
    show_metric_list,
    show_metric_row,
)
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.view import main_container
from attention_viz.diagonal.self_attention_mass import diagonal_board, margin_bars

now = page_context()
window = main_container()
with window:
    answer = st.container()
    settings = controls.choose_settings(now.scenario.text)
    controls.show_cut_note(settings.text, is_read=settings.tokens == "sentence")
trace = trace_of_settings(settings)
cell = controls.pinned_pair(trace, unless_broken=least_self_attention(trace.probabilities[0, 0]))
measured = measure_diagonal(self_attention_of(trace))

answer.markdown(describe_diagonal(trace, measured))
left, right = window.columns([3, 2])
with left:
    show_board(diagonal_board(trace, cell), "diagonal", on_pin=controls.pin_pair, fits=True)
with right:
    show_figure(margin_bars(trace, cell[0]), "margins")
st.markdown(describe_pair(trace, cell))
controls.show_examples()
controls.show_example_hint(settings)
left, right = st.columns([3, 2])
left.caption(
    "Each row shows where one token looks. It is often claimed that no weight exceeds both diagonal"
    " weights of its pair of tokens: $a_{ij} \\le \\max(a_{ii}, a_{jj})$. We call this the **pair"
    " bound**. Outlined cells break it. Click a cell to look at its pair."
)
right.caption(
    "The margin is a token's score for itself minus its highest score for another token. Above 0"
    " the token looks most at itself, below 0 it looks more at another token, and at 0 the two tie."
)
show_metric_row(measured)
with st.expander(
    "What these numbers mean", key="lab metrics", icon=":material/function:", on_change="rerun"
) as explained:
    if explained.open:
        show_metric_list()
st.markdown(
    "**Try:** open *Other tokens, other weights*, set *Weights* to *angle* and turn W_K away from"
    " W_Q. At 0° the two are equal (tied), and tokens tend to look at themselves. At 90° they are"
    " unrelated, and there is no preference at all. At 180° they are opposite: the token with the"
    " longest query looks at itself least, but a short one may look at itself most. Change the"
    " *temperature*: the weights change, but no bar changes its side. Spread the lengths: without"
    " weights only a **longer** token can get more of a token's attention than the token itself."
)
st.caption("This page has one head of its own. All bars and numbers are those of its matrix.")
