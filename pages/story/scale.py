"""Scale: every score is multiplied by the same number."""

import streamlit as st

from attention_lab.heads.keys_read import scale_effect
from attention_lab.rounding import tolerance
from attention_ui.masks.temperature import show_variance
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, on_demand, pair_markdown
from attention_ui.step import show_step
from attention_viz.labels import format_number, format_percent

now = page_context()
trace, focus = now.trace, now.focus
effect = scale_effect(trace, focus.head)
d_k, wide = trace.sizes["K"], now.symbol("d_k")
cell = focus.cell("query", "key")

show_step(now)
st.caption(
    f"Both matrices have the same colour scale: if |{now.symbol('scale')}| is below 1, scaling"
    f" makes the colours weaker. For the {now.layout.row} you point at you see the softmax of both"
    " (no mask)."
)
arithmetic = draw_arithmetic(trace, "scaled_scores", (0, *cell), pair_markdown(trace, focus))

st.header("Why?", anchor=False)
st.markdown(
    f"A score is a sum of products; their number is the head width {wide} = {d_k}. If the numbers"
    " of queries and keys are independent, with mean 0 and variance 1, the variance of the sum is"
    f" {wide}, and its standard deviation √{wide} = {format_number(d_k**0.5, 2)}. Multiplied by"
    f" 1/√{wide}, the standard deviation is 1 for every head width. Without the scale, wide heads"
    " would put nearly all weight on one key, and there the gradient of the softmax is almost 0."
)
st.markdown(
    f"Standard deviation of the scores in head {focus.head}: {format_number(effect.spread_raw, 2)}"
    f" before scaling, {format_number(effect.spread, 2)} after. Real queries and keys need not have"
    " mean 0, nor be independent. Largest share of a query, on average:"
    f" {format_percent(effect.top_raw)} with raw scores, {format_percent(effect.top)} with scaled"
    " scores (no mask)."
)
rounded = effect.sum_gap <= tolerance(trace, "probabilities")
st.markdown(
    "**The scale makes no shares:** the softmax alone does. With raw scores and with scaled ones,"
    " the shares of every query sum to 1 (largest difference:"
    f" {'0' if rounded else format_number(effect.sum_gap)}). The scale only sets how unequal they"
    " are"
    " ([claim](questions?concepts_words=note-root-and-softmax))."
)
about_widths = "By the width of a head: variance and softmax"
with on_demand(about_widths, "scale variance", "trending_up") as box:
    if box.open:
        show_variance(now)
look_closer(now, "scaled_scores", arithmetic)
