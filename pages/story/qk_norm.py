"""QK-norm: every query and key of a head gets the same length."""

import math
from dataclasses import replace

import streamlit as st

from attention_ui.page_context import page_context
from attention_ui.panels import choose_projection, draw_arithmetic, look_closer, token_markdown
from attention_ui.step import show_step
from attention_ui.url_state import session
from attention_viz.labels import format_number
from attention_viz.story.stages import compared_cell, shown_view

now = replace(page_context(), which=choose_projection())
show_step(now)
now = session().page_context = shown_view(now, "qk-norm")
trace, d_k = now.trace, now.trace.sizes["K"]
field, cell = compared_cell(now, "normed")
word = token_markdown(trace, trace.axes(field)[2], cell[2])
arithmetic = draw_arithmetic(trace, field, cell, f"**Head {cell[1]}:** number {cell[3]} of {word}")
st.markdown(
    "With gain 1 every query and key has the length"
    f" √{d_k} = {format_number(math.sqrt(d_k), 2)}. A scaled score is then"
    f" √{d_k} times the cosine of the angle between query and key; a gain g on both sides makes it"
    " g² times as large. No score is larger than that, and no share of a row of n keys is larger"
    " than 1/(1 + (n − 1)·e^(−2 g²√d_k)). Without weights every token then looks most at itself:"
    " see *The diagonal of modern attention*."
)
look_closer(now, field, arithmetic, beside=("normed_queries", "normed_keys"))
