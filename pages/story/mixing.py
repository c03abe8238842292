"""Mixing: each token receives the average of the value vectors, weighted by its row of
probabilities.
"""

import streamlit as st

from attention_lab.heads.keys_read import keys_read_most, strongest_keys
from attention_lab.notation.element_wise import output_of_element
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, element_by_element, look_closer, token
from attention_ui.step import show_step
from attention_viz import story
from attention_viz.labels import counted, percent

now = page_context()
trace = now.trace
focus = now.focus.within(trace, "head_outputs")
head, query, feature = focus.head, focus.query, focus.feature
asks = token(trace, "T", query)
most = fact("reads_most", strongest_keys(trace, head, query, count=1))
n_heads, n_groups, d_v = (trace.sizes[letter] for letter in "HGV")

if most:
    key, share = most[0]
    tied = fact("tied_keys", len(keys_read_most(trace, head, query)))
    more = "" if share == 1 else "most "
    takes = (
        f"takes {more}from :green[the value of {token(trace, 'S', key)}]: {percent(share)} of it"
        if tied == 1
        else (
            f"takes the same from :green[the values of {tied} tokens], and more from none:"
            f" {percent(share)} of each"
        )
    )
    st.markdown(
        f"In head {head}, :blue[{asks}] {takes}. Every value vector is multiplied by its weight;"
        " added up, they are the output."
    )
else:
    st.warning(
        f"In head {head}, {asks} may see no key at all: all weights are 0, and so is its output."
    )

board = story.mixing(now.stage, (head, query, feature))
board = show_step(now, "head_outputs", board)
notes = [
    now.turned(
        "All features of a head share the same weights: a head moves whole vectors, and an average"
        " never leaves the range of what it is made from. A row that attends to one token almost"
        " alone is nearly a copy of its value vector."
    )
]
if fact("last_feature_instead", feature < now.focus.feature):
    notes.append(
        f"A value vector here has {counted(d_v, 'feature')}, so its last one is shown, not"
        f" {now.focus.feature}."
    )
if fact("values_are_shared", n_groups < n_heads):
    notes.append(
        f"Heads share values here: {n_heads} heads read {counted(n_groups, 'set')} of value"
        " vectors."
    )
st.caption(" ".join(notes))
element_by_element(
    "Element by element",
    now,
    output_of_element(trace, head, query, most[0][0] if most else focus.key, feature),
    f"The output of :blue[{asks}] in head {head}, counted from 1 as the note does. The note drops"
    " the sum and writes x_i; the values are those of all elements j.",
)
arithmetic = draw_arithmetic(
    trace,
    "head_outputs",
    (0, head, query, feature),
    f"**Head {head}:** feature {feature} of the output of :blue[{asks}]",
)
look_closer(now, "head_outputs", board, arithmetic)
