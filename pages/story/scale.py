"""Scale: every score times the same number."""

import streamlit as st

from attention_core.decompositions import scale_effect
from attention_ui.frame import here
from attention_ui.panels import arithmetic, code_and_numbers, heads_and_focus, pair, says
from attention_ui.show import show_figure
from attention_viz.labels import number, percent
from attention_viz.rows import scale_bars

now = here()
trace, focus = now.trace, now.focus
effect = scale_effect(trace, focus.head)
d_k = trace.sizes["K"]

how = rf"\frac{{1}}{{\sqrt{{d_k}}}} = \frac{{1}}{{\sqrt{{{d_k}}}}} = " if now.scenario.scaling == "on" else ""
says(trace, "scaled_scores", rf"{trace.formula('scaled_scores')}, \quad s = {how}{trace.scale:.4g}")
heads_and_focus(trace, "scaled_scores", focus, "query", "key", like="scores")
st.caption("The colours are those of the raw scores on the page before: a cell gets paler where |s| is below 1.")
arithmetic(trace, "scaled_scores", (0, focus.head, focus.query, focus.key), pair(trace, focus))

st.subheader("Why?", anchor=False)
left, right = st.columns([2, 3])
with left:
    st.markdown(
        f"A score is a sum of d_k = {d_k} products. If the numbers of queries and keys vary independently with "
        f"mean 0 and variance 1, the sum has variance d_k, a standard deviation of √d_k = {number(d_k**0.5, 2)}. Times "
        "1/√d_k it has that of one product, whatever the width of the head. Without it, wide heads would put "
        "nearly all "
        "weight on one key, and a saturated softmax passes hardly any gradient on."
    )
    st.markdown(
        f"In head {focus.head} the standard deviation is {number(effect.spread_raw, 2)} before and "
        f"{number(effect.spread, 2)} after (real queries and keys are neither of mean 0 nor independent); the largest "
        f"share of a row is on average {percent(effect.top_raw)} with raw scores and {percent(effect.top)} "
        "with these (no mask)."
    )
with right:
    show_figure(scale_bars(trace, focus.head, focus.query), "scale bars")

code_and_numbers(trace, ("scaled_scores",), focus)
