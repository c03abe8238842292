"""Self-attention mass: how much every token looks at itself, and what changes it."""

import streamlit as st

from attention_lab.diagonal.measures import self_attention_of
from attention_lab.diagonal.metrics import measure
from attention_lab.diagonal.settings import trace_of_settings
from attention_ui.board import show_board
from attention_ui.diagonal import controls as lab
from attention_ui.diagonal.self_attention_mass import (
    diagonal_verdict,
    metric_list,
    metric_row,
    pair_says,
)
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.view import one_window
from attention_viz.diagonal.self_attention_mass import diagonal_board, margin_bars

now = page_context()
window = one_window()
with window:
    lab.token_controls(now.scenario.text)
    settings = lab.layer_controls(now.scenario.text)
    lab.say_cut(settings.text if settings.tokens == "sentence" else None)
trace = trace_of_settings(settings)
cell = lab.pair(trace)
square = self_attention_of(trace)
measured = measure(square)

window.markdown(diagonal_verdict(trace, measured))
left, right = window.columns([3, 2])
with left:
    show_board(diagonal_board(trace, cell), "diagonal", on_pin=lab.pin, fits=True)
with right:
    show_figure(margin_bars(trace, cell[0]), "margins")
st.markdown(pair_says(trace, cell))
lab.examples()
if says := lab.says_of(settings):
    st.caption(says)
left, right = st.columns([3, 2])
left.caption(
    "Each row is one token’s attention. Outlined: cells that break the **pair bound** $a_{ij}"
    " \\le \\max(a_{ii}, a_{jj})$ which is often claimed. Click a cell to look into its pair."
)
right.caption(
    "To the right of 0 a token scores highest with itself; to the left another token out-votes"
    " it; at 0 they tie."
)
metric_row(measured)
with st.expander(
    "What these numbers mean", key="lab metrics", icon=":material/function:", on_change="rerun"
) as told:
    if told.open:
        metric_list()
st.markdown(
    "**Try:** turn *Weights* to *angle* and move from 0° (tied: tokens tend to themselves) over 90°"
    " (unrelated: no preference at all) to 180° (opposite: the token with the longest query looks"
    " at itself least, but a short one may look at itself most). Change the *temperature*: masses"
    " move, but no bar changes its side. Spread the lengths: without weights only **longer** tokens"
    " can out-vote a token."
)
st.caption(
    "The laboratory has one head of its own. Bars and numbers are measured on the matrix that is"
    " shown."
)
