"""Projections: one product gives the queries of all heads, one the keys, one the values."""

import streamlit as st

from attention_core.trace import head_columns
from attention_lab.heads.weight_blocks import features_read, is_identity
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import choose_projection, draw_arithmetic, look_closer, token_markdown
from attention_ui.step import projection_choice, show_step
from attention_viz import story
from attention_viz.labels import format_span

now = page_context()
trace, focus = now.trace, now.focus

field = choose_projection()
color, one = {"queries": ("blue", "query"), "keys": ("red", "key"), "values": ("green", "value")}[
    field
]
matrix = story.PROJECTION_FACTORS[field][1]
bias = matrix.replace("w", "b")
source, weights, made = (now.symbol(name) for name in (*story.PROJECTION_FACTORS[field], field))
fact("symbols", (source, weights, made))
row_name, axis = {"queries": ("query", "T")}.get(field, ("key", "S"))
row = fact("row", getattr(focus, row_name))
place, column = focus.within(trace, field), fact("column", focus.column(trace, field))
n_inner, width = fact("features", trace.sizes["D"]), getattr(trace, field).shape[2]
block = fact("block", head_columns(trace, field, focus.head))
columns_of_head = format_span(block, "column")
sent = fact("drawn_columns", story.head_window(trace, field, focus.head))

board = story.projection_board(now.stage, field, (focus.head, row, place.feature), not now.whole)
board = show_step(now, field, board, choices=projection_choice(field))
if fact("whole", now.whole) and sent != (0, fact("columns", width)):
    st.caption(
        f"Columns of {weights} and {made}: {width}. Shown: {format_span(slice(*sent), 'column')},"
        f" with those of head {focus.head}."
    )
fact("weightless", now.scenario.weights == "weightless")
n_read = fact("features_read", features_read(trace, matrix, focus.head))
if fact("is_identity", is_identity(trace, matrix)):
    st.markdown(
        f"**Here {weights} is the identity,** so {made} = {source}, and head {focus.head} gets a"
        f" plain copy of :{color}[{format_span(block, 'feature')}] of {trace.sizes['D']}. Only then"
        " is the embedding itself cut into heads; with other weights every head reads all of it."
    )
elif n_read == n_inner:
    st.markdown(
        f"**Every head reads the whole embedding.** The block of {weights} that belongs to head"
        f" {focus.head} has :{color}[{columns_of_head}], but **every row** ({n_inner} of"
        f" {n_inner}). So the whole vector of a token goes into each of its numbers. What the heads"
        f" divide is not the *embedding* but the columns of :{color}[{made}]."
    )
else:
    st.markdown(
        f"**Here head {focus.head} reads {n_read} of {n_inner} features.** Its block of {weights}"
        f" has :{color}[{columns_of_head}]; in the rows of the other features all its weights are"
        " 0. A head can read every feature: what the heads divide is not the *embedding* but"
        f" the columns of :{color}[{made}]."
    )
added = [now.symbol(bias)] * (getattr(trace.projections, bias) is not None)
fact("bias", next(iter(added), None))
biased = "".join(f", plus number {column} of {sign}" for sign in added)
arithmetic = draw_arithmetic(
    trace,
    field,
    (0, row, column),
    f"**Head {focus.head}:** number {place.feature} of the :{color}[{one} of"
    f" {token_markdown(trace, axis, row)}] = "
    f"the dot product of row {row} of {source} and column {column} of {weights}{biased}",
)
look_closer(now, field, board, arithmetic, beside=tuple(story.PROJECTION_FACTORS))
