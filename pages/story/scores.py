"""Scores: every query compared with every key, in every head."""

import streamlit as st

from attention_ui.board import show_board
from attention_ui.here import here
from attention_ui.panels import code_and_numbers, pair, says, token, told
from attention_viz import story
from attention_viz.labels import number

now = here()
trace, focus = now.trace, now.focus
cell = focus.cell("query", "key")
h, d_k = trace.sizes["H"], trace.sizes["K"]
scores_of_pair = trace.scores[0, :, focus.query, focus.key]

says(now, "scores")
board = story.scores(now.stage, cell)
show_board(board, "scores")
st.caption(
    "Violet, a large positive score: query and key point in similar directions, a good fit. Orange, negative: they "
    "point apart. The numbers grow with the length of both vectors, too."
)
told(trace, "scores", (0, *cell), pair(trace, focus))

with st.expander(
    "One pair of tokens in all heads: the Hadamard product", key="all heads", icon=":material/apps:", on_change="rerun"
) as in_all_heads:
    if in_all_heads.open:
        st.markdown(
            f"Take the :blue[query of {token(trace, 'T', focus.query)}] and the :red[key of "
            f"{token(trace, 'S', focus.key)}] in all {h} heads at once. Multiplying the two stacks as matrices "
            "compares **every head with every head**; only the framed diagonal is wanted, the rest is waste. "
            "Multiplying them **number by number** (the Hadamard product ⊙) and adding up each row gives the same "
            "scores and nothing else."
        )
        show_board(story.pair(now.stage, cell), "pair")
        st.markdown(
            f"- The full product takes h² · d_k = {h}² · {d_k} = **{h * h * d_k}** multiplications for this pair, the "
            f"Hadamard product h · d_k = {h} · {d_k} = **{h * d_k}**; so does one product per head.\n"
            f"- Added up over the heads, the scores are the dot product of the fused vectors, all {h * d_k} numbers of "
            f"each: **{number(float(scores_of_pair.sum()))}**. Whoever forgets the split gets only this sum: *one head "
            "in disguise*."
        )
code_and_numbers(now, ("scores",), board)
