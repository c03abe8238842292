"""Projections: one product gives the queries of all heads, one the keys, one the values."""

from dataclasses import replace

import streamlit as st

from attention_core.trace import head_columns
from attention_lab.heads.weight_blocks import features_read, is_identity
from attention_ui.page_context import page_context
from attention_ui.panels import choose_projection, draw_arithmetic, look_closer, token_markdown
from attention_ui.step import show_step
from attention_viz.labels import format_span
from attention_viz.story.products import PROJECTION_FACTORS, head_window

field = choose_projection()
now = replace(page_context(), which=field)
trace, focus = now.trace, now.focus
color, one = {"queries": ("blue", "query"), "keys": ("red", "key"), "values": ("green", "value")}[
    field
]
matrix = PROJECTION_FACTORS[field][1]
bias = matrix.replace("w", "b")
source, weights, made = (now.symbol(name) for name in (*PROJECTION_FACTORS[field], field))
words, turned = now.layout, now.symbol(matrix, on_board=True)
row_name, axis = {"queries": ("query", "T")}.get(field, ("key", "S"))
row = getattr(focus, row_name)
place, column = focus.within(trace, field), focus.column(trace, field)
n_inner, width = trace.sizes["D"], getattr(trace, field).shape[2]
block = head_columns(trace, field, focus.head)
columns_of_head = format_span(block, words.column)
sent = head_window(trace, field, focus.head)

show_step(now)
if now.whole and sent != (0, width):
    st.caption(
        f"Width of {made}: {width} numbers. Shown: {format_span(slice(*sent), words.column)},"
        f" with those of head {focus.head}."
    )
n_read = features_read(trace, matrix, focus.head)
if is_identity(trace, matrix):
    st.markdown(
        f"**Here {weights} is the identity,** so {made} = {source}, and head {focus.head} gets a"
        f" plain copy of :{color}[{format_span(block, 'feature')}] of {trace.sizes['D']}. Only then"
        " is the embedding itself cut into heads; with other weights every head reads all of it."
    )
elif n_read == n_inner:
    st.markdown(
        f"**Every head reads the whole embedding.** The block of {turned} that belongs to head"
        f" {focus.head} has :{color}[{columns_of_head}], but **every {words.row}** ({n_inner} of"
        f" {n_inner}). So the whole vector of a token goes into each of its numbers. What the heads"
        f" divide is not the *embedding* but the {words.column}s of :{color}[{made}]."
    )
else:
    st.markdown(
        f"**Here head {focus.head} reads {n_read} of {n_inner} features.** Its block of {turned}"
        f" has :{color}[{columns_of_head}]; in the {words.row}s of the other features all its"
        " weights are 0. A head can read every feature: what the heads divide is not the"
        " *embedding* but"
        f" the {words.column}s of :{color}[{made}]."
    )
added = [now.symbol(bias)] * (getattr(trace.projections, bias) is not None)
biased = "".join(f", plus number {column} of {sign}" for sign in added)
arithmetic = draw_arithmetic(
    trace,
    field,
    (0, row, column),
    f"**Head {focus.head}:** number {place.feature} of the :{color}[{one} of"
    f" {token_markdown(trace, axis, row)}] = "
    f"the dot product of {words.row} {row} of {source} and {words.column} {column} of"
    f" {turned}{biased}",
)
look_closer(now, field, arithmetic, beside=tuple(PROJECTION_FACTORS))
