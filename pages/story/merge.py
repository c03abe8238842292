"""Merge: the heads are laid side by side again, token by token."""

import streamlit as st

from attention_lab.heads.layout_mistakes import moved_cells, place_merged
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, goes_astray, look_closer, say_swap, token
from attention_ui.step import show_step
from attention_viz import story
from attention_viz.labels import counted

now = page_context()
trace = now.trace
focus = now.focus.within(trace, "merged")
head, query, feature = focus.head, focus.query, focus.feature
row, column = right = fact("right_place", place_merged(trace, head, query, feature))
wrong = fact("wrong_place", place_merged(trace, head, query, feature, swap=False))
wrong_row, wrong_column = wrong
moved = moved_cells(trace)
n_heads, d_v = trace.sizes["H"], trace.sizes["V"]
several = fact("swap_matters", n_heads > 1 and trace.sizes["T"] > 1)
ends = (0, 0), tuple(size - 1 for size in trace.merged.shape[1:])

board = story.merge(now.stage, (head, query, feature), not now.whole)
board = show_step(now, "merged", board, also=goes_astray(now, "head_outputs", focus, query))
say_swap(now)
correct, mistaken = st.columns(2)
with correct:
    st.badge("Right: swap, then reshape", icon=":material/check:", color="green")
    st.markdown(
        now.turned(
            f"Head {head}’s numbers become a **block of columns**. The pinned one goes from [head,"
            f" token, feature] = [{head}, {query}, {feature}] to row {query}, column {head} · {d_v}"
            f" + {feature} = **{column}**: it stays "
        )
        + f"with :blue[{token(trace, 'T', query)}]."
    )
with mistaken:
    st.badge("Wrong: reshape alone", icon=":material/close:", color="red")
    st.markdown(
        now.turned(
            f"Head {head}’s numbers fill the matrix **one after the other**, whole rows first. The"
            f" pinned one lands in row {wrong_row}, column {wrong_column}: "
        )
        + (
            (
                "its right place, as the first and the last number always do."
                if fact("first_or_last", right in ends) and several
                else f"{'by luck' if several else 'here, too,'} its right place."
            )
            if wrong == right
            else (
                f"in the {now.turned('row')} of {token(trace, 'T', wrong_row)}."
                if wrong_row != row
                else now.turned("in the right row, but among another head’s columns.")
            )
        )
    )
if fact("last_feature_instead", feature < now.focus.feature):
    st.caption(
        f"A head’s vector has {counted(d_v, 'feature')}, so its last one is shown, not"
        f" {now.focus.feature}."
    )

if n_wrong := fact("wrong_cells", int(moved.sum())):
    st.markdown(
        f"**{n_wrong:,} of {moved.size:,}** cells hold a wrong number without the swap, yet the"
        " shape is right and no error is raised: that is why this mistake is so common. A reshape"
        " only reads the numbers in the order of the axes, which is head, token, feature. The swap"
        " makes it token, head, feature, so that one token’s numbers of all heads come one after"
        " the other."
    )
elif several:
    st.info(
        "Here every number that lands in a wrong cell is equal to the right one, so no difference"
        " shows."
    )
else:
    st.info(
        "With one head or one token there is nothing to swap, so here both ways give the same"
        " matrix."
    )
w_o = fact("mixed_by", now.symbol("w_o"))
has_w_o = fact("has_w_o", trace.projections.w_o is not None)
if n_heads > 1:
    st.markdown(
        "**Merging mixes nothing.** Every number of the merged matrix is one number of one head,"
        " copied: nothing a head found has met what another head found. "
        + (
            f"That is the work of {w_o}, in the next step."
            if has_w_o
            else f"That would be the work of {w_o}, in the next step, but this layer has none."
        )
    )
arithmetic = draw_arithmetic(
    trace,
    "merged",
    (0, query, column),
    now.turned(f"Row {query}, column {column} of the merged matrix, copied"),
)
look_closer(now, "merged", board, arithmetic, beside=("head_outputs",))
