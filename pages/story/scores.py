"""Scores: every query compared with every key, in every head."""

import streamlit as st

from attention_ui.frame import here
from attention_ui.panels import arithmetic, code_and_numbers, heads_and_focus, pair, says

now = here()
trace, focus = now.trace, now.focus

says(trace, "scores")
heads_and_focus(trace, "scores", focus, "query", "key")
st.caption(
    "Violet, a large positive score: query and key point in similar directions, a good fit. Orange, negative: they "
    "point apart. The numbers grow with the length of both vectors, too."
)
arithmetic(trace, "scores", (0, focus.head, focus.query, focus.key), pair(trace, focus))
code_and_numbers(trace, ("scores",), focus)
