"""Scale: every score times the same number."""

import streamlit as st

from attention_lab.heads.scale_effect import scale_effect
from attention_lab.notation.notation import symbol
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, pair
from attention_ui.step import show_step
from attention_viz import story
from attention_viz.labels import counted, number, percent

now = page_context()
trace, focus = now.trace, now.focus
effect = scale_effect(trace, focus.head)
d_k, wide = fact("d_k", trace.sizes["K"]), fact("symbol_of_d_k", now.symbol("d_k"))
factor = fact("symbol_of_scale", now.symbol("scale"))
fact("scale", trace.scale)
fact("effect", effect)
cell = focus.cell("query", "key")

s, width = symbol("scale", now.notation).latex, now.notation.width(trace, "d_k")
how = (
    rf"\frac{{1}}{{\sqrt{{{width}}}}} = \frac{{1}}{{\sqrt{{{d_k}}}}} = "
    if now.scenario.scaling == "on"
    else ""
)
board = story.scale(now.stage, cell)
board = show_step(now, "scaled_scores", board, rf", \quad {s} = {how}{trace.scale:.4g}")
st.caption(
    "Both matrices have one colour scale: a cell’s colour gets weaker where"
    f" |{factor}| is below 1. With each, what the softmax would make of the"
    f" {now.turned('row')} you point at (no mask)."
)
arithmetic = draw_arithmetic(trace, "scaled_scores", (0, *cell), pair(trace, focus))

st.header("Why?", anchor=False)
st.markdown(
    f"A score is a sum of {wide} = {counted(d_k, 'product')}. If the numbers of queries and keys"
    f" vary independently with mean 0 and variance 1, the sum has variance {wide}, a standard"
    f" deviation of √{wide} = {number(d_k**0.5, 2)}. Times 1/√{wide} it has that of one product,"
    " whatever the width of the head. Without it, wide heads would put nearly all weight on one"
    " key, and a saturated softmax passes hardly any gradient on."
)
unlike = (
    "real queries and keys are neither of mean 0 nor independent"
    if fact("scores_vary", bool(effect.spread_raw))
    else "all scores are equal"
)
st.markdown(
    f"In head {focus.head} the standard deviation is {number(effect.spread_raw, 2)} before and"
    f" {number(effect.spread, 2)} after ({unlike}); the largest share of a {now.turned('row')} is"
    f" on average {percent(effect.top_raw)} with raw scores and {percent(effect.top)} with these"
    " (no mask)."
)
look_closer(now, "scaled_scores", board, arithmetic)
