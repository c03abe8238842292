"""Encoder, decoder, cross-attention: the three uses of attention for two sentences."""

from dataclasses import replace

import streamlit as st

from attention_lab.masks.encoder_decoder import ATTENTION_USES, other_sentence, run_three_uses
from attention_ui.board import show_board
from attention_ui.masks.sentences import (
    choose_clicked_step,
    choose_clicked_use,
    choose_sentence,
    chosen_cell,
    note_cut,
    show_cards,
)
from attention_ui.page_context import page_context
from attention_ui.url_state import PERSISTENCE, choose_one, draw_bound
from attention_ui.view import main_container
from attention_viz.labels import format_percent
from attention_viz.markdown import quote_token
from attention_viz.masks import encoder_decoder as boards

DEFAULT_TARGET = "Das Tier war zu müde"

now = page_context()
window = main_container()
left, right = window.columns([3, 2])
target = choose_sentence(
    left,
    "Target sentence",
    DEFAULT_TARGET,
    "ed_target",
    now.scenario,
    instead=DEFAULT_TARGET,
    help="The source is the sentence of the sidebar; this could be its translation.",
)
padding = draw_bound(
    right.slider,
    "[pad] after both sentences",
    0,
    4,
    2,
    key="ed_pad",
    **PERSISTENCE,
    help="If the sidebar sets a sequence length, the source keeps it.",
)
traces = run_three_uses(now.scenario, target, int(padding))
read = other_sentence(now.scenario, target)
with window.container():  # one place, so that what stands below keeps its own
    note_cut("target sentence", read.n_real, read.n_left_out, now.scenario)
show_cards(traces)
st.caption(
    "The board shows masked scores above shares. Hatched cells are hidden; the mask of the sidebar"
    " is not used here. All three have the same weights, so that only sentences and masks differ;"
    " in a real model each has its own. Try: click a cell of another use, or give the target a"
    " single word."
)

st.header("One use, step by step", anchor=False)
chosen = choose_one(
    "Use",
    tuple(use.key for use in ATTENTION_USES),
    "cross",
    key="ed_use",
    label_visibility="collapsed",
    **PERSISTENCE,
)
use = next(use for use in ATTENTION_USES if use.key == chosen)
trace = traces[chosen]
cell = chosen_cell(trace.sizes["T"], trace.sizes["S"])
with window:  # drawn now, because its pinned cell depends on the use
    scene = boards.uses_board(traces, now.focus.head, chosen, cell, now.notation)
    show_board(scene, "uses", on_pin=choose_clicked_use, fits=True)
query_token, key_token = (
    quote_token(trace.tokens, cell[0]),
    quote_token(trace.memory_tokens, cell[1]),
)
share = format_percent(float(trace.probabilities[0, now.focus.head, cell[0], cell[1]]))
st.markdown(
    f"The :blue[query of {query_token}] comes from the **{use.queries_from}**, the :red[key] and"
    f" the :green[value of {key_token}] from the **{use.keys_from}**. In head {now.focus.head} the"
    f" query reads {share} from the key. Each token of the {use.queries_from} gets one result, a"
    f" mixture of the values of the {use.keys_from}."
)
stage = replace(now.stage, trace=trace, before=None)
show_board(
    boards.use_scene(stage, use, now.focus.head, cell), "use", on_pin=choose_clicked_step, fits=True
)

st.header("The shapes of every step", anchor=False)
st.markdown(boards.shapes_table(traces))
st.caption(
    "Shapes in NumPy. T is the number of query tokens, S the number of key tokens. The layer does"
    " not need T = S; scores and probabilities are then not square. What must agree: the width of"
    " queries and keys, the number of keys and values, and the number of sequences."
)
