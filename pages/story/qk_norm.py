"""QK-norm: every query and key of a head gets the same length."""

import math

import streamlit as st

from attention_ui.panels import look_closer
from attention_ui.step import show_option_step
from attention_viz.labels import format_number

now, field, arithmetic = show_option_step("normed")
d_k = now.trace.sizes["K"]
st.markdown(
    "With gain 1 every query and key has the length"
    f" √{d_k} = {format_number(math.sqrt(d_k), 2)}. A scaled score is then"
    f" √{d_k} times the cosine of the angle between query and key; a gain g on both sides makes it"
    " g² times as large. No score is larger than that, and no share of n keys is larger"
    " than 1/(1 + (n − 1)·e^(−2 g²√d_k)). Without weights every token then looks most at itself:"
    " see *The diagonal of modern attention*."
)
look_closer(now, field, arithmetic, beside=("normed_queries", "normed_keys"))
