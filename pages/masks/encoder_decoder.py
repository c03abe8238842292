"""Encoder, decoder, cross: the three uses of attention for a source and a target sentence."""

from dataclasses import replace

import streamlit as st

from attention_lab.masks.encoder_decoder import USES, three_uses
from attention_lab.masks.sentences import other_sentence
from attention_lab.scenario import settled
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.markdown import quoted
from attention_ui.masks.cut_sentences import say_cut
from attention_ui.masks.encoder_decoder import CELL, cards, follow, follow_step
from attention_ui.masks.own_cell import own_cell
from attention_ui.masks.sentences import sentence_field
from attention_ui.page_context import page_context
from attention_ui.url_state import KEPT, bound, choose_one
from attention_ui.view import one_window
from attention_viz.labels import percent
from attention_viz.masks import encoder_decoder as boards

TARGET = "Das Tier war zu müde"

now = page_context()
window = one_window()
left, right = window.columns([3, 2])
target = sentence_field(
    left,
    "Target sentence",
    TARGET,
    "ed_target",
    now.scenario,
    instead=TARGET,
    help="The source is the sentence of the sidebar; this could be its translation.",
)
padding = bound(
    right.slider,
    "[pad] after both sentences",
    0,
    4,
    2,
    key="ed_pad",
    **KEPT,
    help="The sequence length of the sidebar says how long the source is: this is for the target."
    if fact("sidebar_sets_the_source", settled(now.scenario).n_tokens > 0)
    else None,
)
traces = three_uses(now.scenario, target, int(padding))
read = other_sentence(now.scenario, target)
with window.container():  # a place of its own, so that what stands below keeps its
    say_cut("target sentence", read.n_real, read.n_left_out, now.scenario)
cards(traces)
st.caption(
    "Hatched cells are hidden; the sidebar's mask does not count here. All three use the same"
    " weights, so that only sentences and masks differ; a real model has weights of its own in"
    " each place. Try: click a cell of another use, or give the target a single word."
)

st.header("One use, step by step", anchor=False)
chosen = choose_one(
    "Use",
    tuple(use.key for use in USES),
    "cross",
    key="ed_use",
    label_visibility="collapsed",
    **KEPT,
)
use = next(use for use in USES if use.key == chosen)
trace = traces[chosen]
cell = own_cell(CELL, trace.sizes["T"], trace.sizes["S"])
with window:  # drawn only now: which cell is pinned there depends on the use
    scene = boards.side_by_side(traces, now.focus.head, chosen, cell, now.notation)
    show_board(scene, "uses", on_pin=follow, fits=True)
query_token, key_token = quoted(trace.tokens, cell[0]), quoted(trace.memory_tokens, cell[1])
share = percent(fact("share", float(trace.probabilities[0, now.focus.head, cell[0], cell[1]])))
st.markdown(
    f"The :blue[query of {query_token}] comes from the **{use.asks}**, the :red[key] and the"
    f" :green[value of {key_token}] from the **{use.answers}**. In head {now.focus.head} it reads"
    f" {share} from there. "
    + now.turned(
        f"Each row of the result is a mixture of the {use.answers}’s values, and there are as many"
        f" rows as the {use.asks} has tokens."
    )
)
stage = replace(now.stage, trace=trace, before=None)
show_board(boards.steps(stage, use, now.focus.head, cell), "use", on_pin=follow_step, fits=True)

st.header("The shapes of every step", anchor=False)
st.markdown(boards.shapes_table(traces))
st.caption(
    "As NumPy has them. T counts the tokens that ask, S those that answer. Nothing in the layer"
    " asks for T = S: scores and probabilities are simply no longer square. What must agree: the"
    " width of queries and keys, the number of keys and values, and the number of sequences."
)
