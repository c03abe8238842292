"""Scores: every query is compared with every key, in every head."""

from dataclasses import replace

import streamlit as st

from attention_lab.heads.counts import layer_size
from attention_lab.heads.score_schemes import SCHEMES
from attention_ui.blocks import draw_blocks
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.panels import (
    draw_arithmetic,
    look_closer,
    on_demand,
    pair_markdown,
    token_markdown,
)
from attention_ui.step import show_step
from attention_viz.derived_arrays import slice_of
from attention_viz.labels import format_number
from attention_viz.payload import largest_magnitude
from attention_viz.story.per_head import pair_board
from attention_viz.story.why_three import why_three_blocks

now = page_context()
trace, focus = now.trace, now.focus
cell = focus.cell("query", "key")
h, d_k = trace.sizes["H"], trace.sizes["K"]
many, wide = now.symbol("n_heads"), now.symbol("d_k")

show_step(now)
colours = (
    "Violet is a positive score: query and key point in similar directions and fit well. Orange is"
    " a negative score: they point apart. Longer vectors give scores further from 0."
)
arithmetic = draw_arithmetic(trace, "scores", (0, *cell), pair_markdown(trace, focus), colours)

with on_demand("Why Q, K and V?", "why three") as box:
    if box.open:
        draw_blocks(why_three_blocks(now))
in_all_heads = "One pair of tokens in all heads: the Hadamard product"
with on_demand(in_all_heads, "all heads", "apps") as box:
    if box.open:
        one_pair = replace(layer_size(trace), n_tokens=1)
        products = {one.key: one.multiplications.of(one_pair) for one in SCHEMES}
        place = {0: 0, 1: focus.query, 2: focus.key}
        largest = largest_magnitude(trace.scores)
        together = float(slice_of(trace, "pair_total", place))
        st.markdown(
            f"Take the :blue[query of {token_markdown(trace, 'T', focus.query)}] and the :red[key"
            f" of {token_markdown(trace, 'S', focus.key)}] of every head (heads: {h}). The matrix"
            " product of the two stacks compares **every head with every head**; only its framed"
            " diagonal is needed. The product **number by number** (the Hadamard product ⊙), with"
            f" each {now.layout.row} added up, gives the same scores and nothing else."
        )
        show_board(pair_board(now.stage, cell), "pair")
        st.markdown(
            f"- Multiplications for this pair: {many}² · {wide} = {h}² · {d_k} ="
            f" **{products['full']:,}** in the full product; {many} · {wide} = {h} · {d_k} ="
            f" **{products['hadamard']:,}** in the Hadamard product, and just as many with one"
            " product per head.\n- The sum of the scores over the heads is the dot product of the"
            f" whole vectors, of width {h * d_k}: **{format_number(together, among=largest)}**."
            " Code without the split computes only this sum, the score of one wide head."
        )
look_closer(now, "scores", arithmetic)
