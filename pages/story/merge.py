"""Merge: the outputs of the heads are laid side by side again, token by token."""

import streamlit as st

from attention_lab.heads.layout_mistakes import merged_position, wrong_merged_cells
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, note_swap, token_markdown
from attention_ui.step import show_step

now = page_context()
trace, words = now.trace, now.layout
focus = now.focus.within(trace, "merged")
head, query, feature = focus.head, focus.query, focus.feature
row, column = merged_position(trace, head, query, feature)
wrong_row, wrong_column = merged_position(trace, head, query, feature, swap=False)
moved = wrong_merged_cells(trace)
n_heads, d_v = trace.sizes["H"], trace.sizes["V"]

show_step(now)
note_swap(now)
correct, mistaken = st.columns(2)
with correct:
    st.badge("Right: swap, then reshape", icon=":material/check:", color="green")
    st.markdown(
        f"The numbers of head {head} become a **block of {words.column}s**. The pinned number moves"
        f" from [head, token, feature] = [{head}, {query}, {feature}] to {words.row} {query},"
        f" {words.column} {head} · {d_v} + {feature} = **{column}**: it stays with"
        f" :blue[{token_markdown(trace, 'T', query)}]."
    )
with mistaken:
    st.badge("Wrong: reshape alone", icon=":material/close:", color="red")
    if (wrong_row, wrong_column) == (row, column):
        lands = (
            "That happens to be its right place. For the first and the last number it always is."
        )
    elif wrong_row == row:
        lands = f"The {words.row} is right, but the {words.column}s belong to another head."
    else:
        lands = f"That is the {words.row} of {token_markdown(trace, 'T', wrong_row)}."
    st.markdown(
        f"The numbers of head {head} fill the matrix **one after the other**,"
        f" {words.row} by {words.row}. The pinned number lands in {words.row} {wrong_row},"
        f" {words.column} {wrong_column}. {lands}"
    )
if feature < now.focus.feature:
    st.caption(
        f"Features of a head’s vector: {d_v}. Feature {now.focus.feature} does not exist here, so"
        f" feature {feature} is shown."
    )

if n_wrong := int(moved.sum()):
    st.markdown(
        f"Without the swap, **{n_wrong:,} of {moved.size:,}** cells hold a wrong number. The shape"
        " is right and no error is raised: that is why this mistake is so common. A reshape reads"
        " the numbers in the order of the axes: head, token, feature. The swap makes it token,"
        " head, feature, so that one token’s numbers of all heads follow each other."
    )
elif n_heads > 1 and trace.sizes["T"] > 1:
    st.info("Here each number in a wrong cell equals the right number, so you see no difference.")
else:
    st.info("With one head or one token there is nothing to swap: both ways give the same matrix.")
if n_heads > 1:
    w_o = now.symbol("w_o")
    mixes = f"In the next step {w_o} mixes them."
    if trace.projections.w_o is None:
        mixes = f"In the next step {w_o} would mix them, but this layer has no {w_o}."
    st.markdown(
        "**Merging mixes nothing.** Every number of the merged matrix is a copy of one number of"
        f" one head. {mixes}"
    )
title = f"Number {column} of the merged {words.row} {query}, copied"
arithmetic = draw_arithmetic(trace, "merged", (0, query, column), title)
look_closer(now, "merged", arithmetic, beside=("head_outputs",))
