"""Mixing: each token receives the average of the value vectors, weighted by its row of probabilities."""

import streamlit as st

from attention_core.decompositions import strongest_keys
from attention_ui.frame import here
from attention_ui.panels import arithmetic, code_and_numbers, heads_and_focus, says, token
from attention_ui.show import show_figure
from attention_viz.labels import percent
from attention_viz.mixing import mixing

now = here()
trace = now.trace
focus = now.focus.within(trace, "head_outputs")
head, query, feature = focus.head, focus.query, focus.feature
asks = token(trace, "T", query)
most = strongest_keys(trace, head, query, count=1)
n_heads, n_groups, d_v = (trace.sizes[letter] for letter in "HGV")

says(trace, "head_outputs")
if most:
    key, share = most[0]
    st.markdown(
        f"In head {head}, :blue[{asks}] takes most from :green[the value of {token(trace, 'S', key)}]: "
        f"{percent(share)} of it. Every value vector is multiplied by its weight; added up, they are the output."
    )
else:
    st.warning(f"In head {head}, {asks} may see no key at all: all weights are 0, and so is its output.")

with st.container(key="wide mixing"):
    show_figure(mixing(trace, head, query, focus.key, feature), "mixing parts", ("key", "feature"))
notes = [
    "All features of a head share the same weights: a head moves whole vectors. Weighted vectors are small and have "
    "colours of their own; the sum has those of the values, for an average never leaves their range."
]
if feature < now.focus.feature:
    notes.append(f"A value vector here has {d_v} features, so its last one is shown, not {now.focus.feature}.")
if n_groups < n_heads:
    notes.append(f"Heads share values here: {n_heads} heads read {n_groups} sets of value vectors.")
if d_v > 64:
    first = feature // 64 * 64
    notes.append(f"Features {first} to {min(first + 63, d_v - 1)} of {d_v} are drawn: the block of the chosen one.")
st.caption(" ".join(notes))
arithmetic(
    trace, "head_outputs", (0, head, query, feature),
    f"**Head {head}:** feature {feature} of the output of :blue[{asks}] = every weight × that feature of the "
    ":green[value], added up",
)  # fmt: skip

st.subheader("The outputs of all tokens in all heads", anchor=False)
heads_and_focus(trace, "head_outputs", focus, "query", "feature")
st.caption("A row that attends to one token almost alone is nearly a copy of that token’s value vector.")
code_and_numbers(trace, ("head_outputs",), focus)
