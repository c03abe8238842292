"""Mask workshop: masks combined and painted, on a batch of sentences of different lengths."""

import streamlit as st

from attention_lab.masks.hiding import DEFAULT_BIAS, hidden_by
from attention_lab.masks.mask_workshop import WORKSHOP_MASKS, WorkshopChoices, masked_batch
from attention_ui.board import show_board
from attention_ui.masks.sentences import choose_sentence
from attention_ui.masks.workshop import (
    EXPERIMENTS,
    PAINTED_KEY,
    ExperimentSetup,
    choose_clicked_cell,
)
from attention_ui.page_context import page_context
from attention_ui.url_state import PERSISTENCE, choose_one, draw_bound
from attention_ui.view import main_container
from attention_viz.labels import format_percent
from attention_viz.markdown import quote_token
from attention_viz.masks import mask_workshop as boards
from attention_viz.masks.sentences import cut_note, within

now = page_context()
window = main_container()
left, right, middle, slide, which = window.columns([20, 11, 34, 9, 15], gap="xsmall")
reads = (now.scenario, now.trace.sizes["T"])
second = choose_sentence(
    left, "Second sentence", "The street was wide and empty", "mw_second", *reads
)
third = choose_sentence(right, "Third sentence", "It slept well", "mw_third", *reads)
masks = draw_bound(
    middle.pills,
    "Masks",
    WORKSHOP_MASKS,
    selection_mode="multi",
    default=["causal", "padding"],
    key="mw_masks",
    **PERSISTENCE,
    help=(
        "A query may see a key only if every chosen mask allows it. These masks replace that of the"
        " sidebar."
    ),
)
width = draw_bound(
    slide.slider,
    "Window",
    0,
    16,
    2,
    key="mw_window",
    disabled="window" not in masks,
    help="How many tokens to each side a query sees under the mask *window*.",
    **PERSISTENCE,
)
sequence = choose_one(
    "Sequence", ("0", "1", "2"), "0", place=which, key="mw_sequence", **PERSISTENCE
)
others = {name: text for name, text in (("second", second), ("third", third)) if text}
workshop = WorkshopChoices(
    tuple(others.values()), tuple(masks), int(width), st.session_state[PAINTED_KEY]
)
masked = masked_batch(now.scenario, workshop)
n_batch, n_heads, n_tokens, _ = masked.trace.scores.shape

with window.container():  # one place, so that what stands below keeps its own
    n, beyond = within("sequence", int(sequence), n_batch)
    if beyond:
        st.caption(beyond)
cell = (n, now.focus.query, now.focus.key)
query, key = (quote_token(masked.sentences[cell[0]].tokens, place) for place in cell[1:])
by = list(hidden_by(masked.masks, cell[1], cell[2], cell[0]))
share = float(masked.trace.probabilities[cell[0], now.focus.head, cell[1], cell[2]])

with window.container():  # one place for all notes, so that what stands below keeps its own
    for name, one in zip(others, masked.sentences[1:], strict=True):
        if note := cut_note(f"{name} sentence", one.n_real, one.n_left_out, now.scenario):
            st.caption(note)
with window:
    scene = boards.sequences_board(masked, now.focus.head, cell, now.notation)
    show_board(scene, "batch", on_pin=choose_clicked_cell, fits=True)
shapes = [f"{name} {' × '.join(map(str, mask.shape))}" for name, mask in masked.masks.items()]
st.caption(
    "Above: masked scores, below: shares. Hatched cells are hidden. Shorter sentences are filled up"
    f" with [pad]. Shape of the scores (sequences × heads × queries × keys): {n_batch} × {n_heads}"
    f" × {n_tokens} × {n_tokens}. Shapes of the masks in NumPy: {', '.join(shapes) or 'no mask'}."
    " An axis of length 1, or a missing axis, counts for all."
)
if by:
    st.markdown(
        f"In sequence {cell[0]}, the :red[key {key}] is **hidden** from the :blue[query {query}]"
        f" by: **{', '.join(by)}**."
    )
else:
    st.markdown(
        f"In sequence {cell[0]}, the :blue[query {query}] reads {format_percent(share)} from the"
        f" :red[key {key}] in head {now.focus.head}."
    )

st.header("Try", anchor=False)
choice = choose_one(
    "Experiment",
    EXPERIMENTS,
    "paint a mask",
    key="mw_try",
    label_visibility="collapsed",
    **PERSISTENCE,
)
bias = DEFAULT_BIAS
if choice in ("how to hide", "mask or scale first"):
    bias = draw_bound(
        st.slider, "The finite bias", -20.0, 0.0, DEFAULT_BIAS, 0.5, key="mw_bias", **PERSISTENCE
    )
EXPERIMENTS[choice](ExperimentSetup(now, masked, now.focus.head, cell, bias))
