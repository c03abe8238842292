"""Merge: the heads are laid side by side again, token by token."""

import streamlit as st

from attention_core.decompositions import moved_cells, place_merged
from attention_ui.frame import here
from attention_ui.panels import arithmetic, code_and_numbers, says, token
from attention_ui.show import show_figure
from attention_viz.merge import MOST_MARKS, merging

now = here()
trace = now.trace
focus = now.focus.within(trace, "merged")
head, query, feature = focus.head, focus.query, focus.feature
row, column = place_merged(trace, head, query, feature)
wrong_row, wrong_column = place_merged(trace, head, query, feature, swap=False)
moved = moved_cells(trace)
n_heads, n_tokens, d_v = (trace.sizes[letter] for letter in "HTV")
drawn = max(1, 64 // n_heads)

says(trace, "merged")
left, right = st.columns(2)
with left:
    st.badge("Right: swap, then reshape", icon=":material/check:", color="green")
    show_figure(merging(trace, head, query, feature), "merged right", ("query", "feature"))
    st.markdown(
        f"Head {head}’s numbers become a **block of columns**. The chosen one goes from [head, token, feature] = "
        f"[{head}, {query}, {feature}] to row {query}, column {head} · {d_v} + {feature} = **{column}**: it stays "
        f"with :blue[{token(trace, 'T', query)}]."
    )
with right:
    st.badge("Wrong: reshape alone", icon=":material/close:", color="red")
    show_figure(merging(trace, head, query, feature, swap=False), "merged wrong", ("query", "feature"))
    st.markdown(
        f"Head {head}’s numbers fill the matrix **in reading order**, whole rows first. The chosen one lands in row "
        f"{wrong_row}, column {wrong_column}: "
        + (
            "by luck its right place."
            if (wrong_row, wrong_column) == (row, column)
            else f"in the row of {token(trace, 'T', wrong_row)}."
            if wrong_row != row
            else "in the right row, but among another head’s columns."
        )
    )
notes = ""
if moved.any() and n_tokens * n_heads * min(d_v, drawn) <= MOST_MARKS:
    notes += "A mark in its corner shows a cell that holds another number than it should. "
if feature < now.focus.feature:
    notes += f"A head’s vector has {d_v} features, so its last one is shown, not {now.focus.feature}. "
if d_v > drawn:
    notes += f"Of each head’s {d_v} features {drawn} are drawn, from {feature // drawn * drawn} on. "
st.caption(notes + "The number below a column is its place in the merged matrix.")

if moved.any():
    st.markdown(
        f"**{moved.sum()} of {moved.size}** numbers stand in the wrong cell without the swap, yet the shape is right "
        "and no error is raised: that is why this mistake is so common. A reshape only reads the numbers in the order "
        "of the axes, which is head, token, feature. The swap makes it token, head, feature, so that one token’s "
        "numbers of all heads come one after the other."
    )
else:
    st.info("With one head or one token there is nothing to swap, so here both ways give the same matrix.")
if n_heads > 1:
    st.markdown(
        "**Merging mixes nothing.** Every number of the merged matrix is one number of one head, copied: nothing a "
        "head found has met what another head found. That is the work of W_O, in the next step."
    )
arithmetic(
    trace, "merged", (0, query, column), f"Row {query}, column {column} of the merged matrix: feature {feature} of "
    f"head {head} for :blue[{token(trace, 'T', query)}], copied",
)  # fmt: skip
code_and_numbers(trace, ("merged", "head_outputs"), focus)
