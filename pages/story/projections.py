"""Projections: one product gives the queries of all heads, one the keys, one the values."""

import streamlit as st

from attention_ui.frame import here
from attention_ui.panels import arithmetic, code_and_numbers, says, token, which
from attention_ui.show import show_figure
from attention_viz.projection import block_of, fused_product

now = here()
trace, focus = now.trace, now.focus

field = which()
color, letter, one = {
    "queries": ("blue", "Q", "query"), "keys": ("red", "K", "key"), "values": ("green", "V", "value"),
}[field]  # fmt: skip
row_name, axis = ("query", "T") if field == "queries" else ("key", "S")
row = getattr(focus, row_name)
place, column = focus.within(trace, field), focus.column(trace, field)
n_inner, width = trace.sizes["D"], getattr(trace, field).shape[2]
block = block_of(trace, field, focus.head)
last = block.first + block.width - 1

says(trace, field)
show_figure(fused_product(trace, field, focus.head, row, place.feature), "product", (row_name, "feature"))
if block.shown < width:
    st.caption(
        f"W_{letter} and {letter} are {width} columns wide; only the block of head {focus.head} is drawn, columns "
        f"{block.first} to {last}."
    )
weightless = (
    f"**These weights are weightless:** W_{letter} is the identity, so {letter} = X, and head {focus.head} gets a "
    f"plain copy of :{color}[features {block.first} to {last}]. Only without weights do heads cut up the "
    "embedding itself; "
    "choose other weights to see every head read all of it."
)
whole = (
    f"**Every head reads the whole embedding.** The framed block of W_{letter} belongs to head {focus.head}: "
    f":{color}[columns {block.first} to {last}], but **every row** ({n_inner} of {n_inner}). So each of its numbers is "
    "made from the whole vector of a token. Heads do not share out the *embedding*; they share out the columns of "
    f":{color}[{letter}], the projected space."
)
st.markdown(weightless if now.scenario.weights == "weightless" else whole)
arithmetic(
    trace, field, (0, row, column),
    f"**Head {focus.head}:** number {place.feature} of the :{color}[{one} of {token(trace, axis, row)}] = row {row} of "
    f"X times column {column} of W_{letter}: one product for each of {n_inner} features",
)  # fmt: skip
code_and_numbers(trace, ("queries", "keys", "values"), focus)
