"""Projections: one product gives the queries of all heads, one the keys, one the values."""

import streamlit as st

from attention_core.head_blocks import head_columns
from attention_lab.heads.weight_blocks import features_read, is_identity
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, token, which
from attention_ui.step import of_three, show_step
from attention_viz import story
from attention_viz.labels import counted, span

now = page_context()
trace, focus = now.trace, now.focus

field = which()
color, one = {"queries": ("blue", "query"), "keys": ("red", "key"), "values": ("green", "value")}[
    field
]
matrix = story.SOURCES[field][1]
bias = matrix.replace("w", "b")
source, weights, made = (now.symbol(name) for name in (*story.SOURCES[field], field))
fact("symbols", (source, weights, made))
row_name, axis = ("query", "T") if field == "queries" else ("key", "S")
row = fact("row", getattr(focus, row_name))
place, column = focus.within(trace, field), fact("column", focus.column(trace, field))
n_inner, width = fact("features", trace.sizes["D"]), getattr(trace, field).shape[2]
block = fact("block", head_columns(trace, field, focus.head))
sent = fact("drawn_columns", story.around(trace, field, focus.head))

board = story.projection(now.stage, field, (focus.head, row, place.feature), not now.whole)
board = show_step(now, field, board, choices=of_three(field))
if fact("whole", now.whole) and sent != (0, fact("columns", width)):
    st.caption(
        now.turned(
            f"{weights} and {made} have {counted(width, 'column')}; drawn are"
            f" {span(slice(*sent), 'column')}, among them those of head {focus.head}."
        )
    )
copied = (
    f"**These weights are weightless:** {weights} is the identity,"
    if fact("weightless", now.scenario.weights == "weightless")
    else f"**{weights} is the identity here,**"
)
weightless = (
    f"{copied} so {made} = {source}, and head {focus.head} gets a plain copy of"
    f" :{color}[{span(block, 'feature')}]"
    + (
        ". Only so do heads cut up the embedding itself; choose other weights to see every head"
        " read all of it."
        if trace.sizes["H"] > 1
        else ", which are all there are: one head alone has the whole embedding."
    )
)
whole = (
    f"**Every head reads the whole embedding.** The framed block of {weights} belongs to head"
    f" {focus.head}: :{color}[{span(block, 'column')}], but **every row** ({n_inner} of {n_inner})."
    " So each of its numbers is made from the whole vector of a token. Heads do not share out the"
    f" *embedding*; they share out the columns of :{color}[{made}], the projected space."
)
n_read = fact("features_read", features_read(trace, matrix, focus.head))
some = (
    f"**Head {focus.head} reads {n_read} of {counted(n_inner, 'feature')} here.** In the other rows"
    f" of its framed block of {weights}, :{color}[{span(block, 'column')}], all weights are 0. It"
    " might read every feature: heads do not share out the *embedding*; they share out the columns"
    f" of :{color}[{made}], the projected space."
)
if fact("is_identity", is_identity(trace, matrix)):
    st.markdown(weightless)
else:
    st.markdown(now.turned(some if n_read < n_inner else whole))
added = None if getattr(trace.projections, bias) is None else now.symbol(bias)
biased = f", plus number {column} of {added}" if fact("bias", added) else ""
arithmetic = draw_arithmetic(
    trace,
    field,
    (0, row, column),
    f"**Head {focus.head}:** number {place.feature} of the :{color}[{one} of"
    f" {token(trace, axis, row)}] = "
    + now.turned(f"the dot product of row {row} of {source} and column {column} of {weights}")
    + biased,
)
look_closer(now, field, board, arithmetic, beside=tuple(story.SOURCES))
