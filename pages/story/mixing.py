"""Mixing: each token receives the average of the value vectors, weighted by its shares."""

import streamlit as st

from attention_lab.heads.keys_read import read_row
from attention_lab.notation.element_wise import output_of_element
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, draw_element_wise, look_closer, token_markdown
from attention_ui.step import show_step
from attention_viz.labels import format_percent

now = page_context()
trace = now.trace
focus = now.focus.within(trace, "head_outputs")
head, query, feature = focus.head, focus.query, focus.feature
asks = token_markdown(trace, "T", query)
row = read_row(trace, head, query, count=1)
n_heads, n_groups, d_v = (trace.sizes[letter] for letter in "HGV")

if row.strongest:
    key, share = row.strongest[0]
    largest = f":green[the value of {token_markdown(trace, 'S', key)}]"
    if row.tied > 1:
        largest = f"each of :green[the values of {row.tied} tokens]"
    st.markdown(
        f"In head {head}, the largest weight of :blue[{asks}] is {format_percent(share)}, for"
        f" {largest}. Every value vector is multiplied by its weight; the sum is the output of the"
        " head."
    )
else:
    st.warning(f"In head {head}, {asks} sees no key: all its weights are 0, and so is its output.")

show_step(now)
notes = [
    "All features of a head have the same weights, so a head moves whole vectors. An average never"
    " leaves the range of its parts. If almost all weight is on one token, the result is nearly a"
    " copy of its value vector."
]
if feature < now.focus.feature:
    notes.append(
        f"Features of a value vector: {d_v}. Feature {now.focus.feature} does not exist here, so"
        f" feature {feature} is shown."
    )
if n_groups < n_heads:
    notes.append(f"Heads share values here. Heads: {n_heads}; sets of value vectors: {n_groups}.")
st.caption(" ".join(notes))
read = row.strongest[0][0] if row.strongest else focus.key
draw_element_wise(
    now,
    output_of_element(trace, head, query, read, feature),
    f"The output of :blue[{asks}] in head {head}, counted from 1 as the note does. The note drops"
    " the sum and writes x_i; the values are those of all elements j.",
)
title = f"**Head {head}:** feature {feature} of the output of :blue[{asks}]"
arithmetic = draw_arithmetic(trace, "head_outputs", (0, head, query, feature), title)
look_closer(now, "head_outputs", arithmetic)
