"""Scores: every query compared with every key, in every head."""

from dataclasses import replace

import streamlit as st

from attention_core.counting import all_of
from attention_core.derived_arrays import slice_of
from attention_lab.heads.counts import size_of
from attention_lab.heads.score_schemes import SCHEMES
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, pair, token
from attention_ui.random_weights import random_notes
from attention_ui.step import show_step
from attention_viz import story
from attention_viz.labels import counted, number

now = page_context()
trace, focus = now.trace, now.focus
cell = focus.cell("query", "key")
h, d_k = trace.sizes["H"], fact("d_k", trace.sizes["K"])
many, wide = fact("symbols", (now.symbol("n_heads"), now.symbol("d_k")))
several = fact("several_heads", h > 1)

board = story.scores(now.stage, cell)
board = show_step(now, "scores", board, notes=random_notes(now))
colours = (
    "Violet, a large positive score: query and key point in similar directions, a good fit. Orange,"
    " negative: they point apart. The numbers grow with the length of both vectors, too."
)
arithmetic = draw_arithmetic(trace, "scores", (0, *cell), pair(trace, focus), colours)

with st.expander(
    "One pair of tokens in all heads: the Hadamard product",
    key="all heads",
    icon=":material/apps:",
    on_change="rerun",
) as in_all_heads:
    if in_all_heads.open:
        one_pair = replace(size_of(trace), n_tokens=1)
        products = fact("products", {one.key: one.multiplications.of(one_pair) for one in SCHEMES})
        place = {0: 0, 1: focus.query, 2: focus.key}
        together = fact("of_all_heads", float(slice_of(trace, "pair_total", place)))
        waste = "only the framed diagonal is wanted, the rest is waste"
        st.markdown(
            f"Take the :blue[query of {token(trace, 'T', focus.query)}] and the :red[key of"
            f" {token(trace, 'S', focus.key)}] in {all_of(h, 'head')} at once. Multiplying the two"
            " stacks as matrices compares **every head with every head**;"
            f" {waste if several else 'one head has no other'}."
            " Multiplying them **number by number** (the Hadamard product ⊙) and adding up each"
            f" {now.turned('row')} gives the same scores and nothing else."
        )
        show_board(story.pair(now.stage, cell), "pair")
        st.markdown(
            f"- The full product takes {many}² · {wide} = {h}² · {d_k} ="
            f" **{counted(products['full'], 'multiplication')}** for this pair, the Hadamard"
            f" product {many} · {wide} = {h} · {d_k} = **{products['hadamard']:,}**; so does one"
            " product per head.\n- Added up over the heads, the scores are the dot product of the"
            f" fused vectors, with {counted(h * d_k, 'number')} each: **{number(together)}**. "
            + (
                "Whoever forgets the split gets only this sum: *one head in disguise*."
                if several
                else "With one head there is no split to forget."
            )
        )
look_closer(now, "scores", board, arithmetic)
