"""Mask workshop: masks put together and painted, on a batch of sentences of different lengths."""

import streamlit as st

from attention_lab.masks.hiding import USUAL_BIAS, hidden_by
from attention_lab.masks.mask_workshop import WORKSHOP_MASKS, Workshop, masked_batch
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.markdown import quoted
from attention_ui.masks.cut_sentences import say_cut
from attention_ui.masks.mask_experiments import EXPERIMENTS
from attention_ui.masks.mask_workshop import Bench, follow
from attention_ui.masks.own_cell import at_most
from attention_ui.masks.painting import PAINTED
from attention_ui.masks.sentences import sentence_field
from attention_ui.page_context import page_context
from attention_ui.url_state import KEPT, bound, choose_one
from attention_ui.view import one_window
from attention_viz.labels import counted, percent
from attention_viz.masks import mask_workshop as boards

now = page_context()
window = one_window()
left, right, middle, slide, which = window.columns([20, 11, 34, 9, 15], gap="xsmall")
reads = (now.scenario, now.trace.sizes["T"])
second = sentence_field(
    left, "Second sentence", "The street was wide and empty", "mw_second", *reads
)
third = sentence_field(right, "Third sentence", "It slept well", "mw_third", *reads)
masks = bound(
    middle.pills,
    "Masks",
    WORKSHOP_MASKS,
    selection_mode="multi",
    default=["causal", "padding"],
    key="mw_masks",
    **KEPT,
    help=(
        "A query may see a key only if every chosen mask allows it. They stand in place of the"
        " sidebar's mask."
    ),
)
no_window = "window" not in masks
width = bound(
    slide.slider,
    "Window",
    0,
    16,
    2,
    key="mw_window",
    disabled=no_window,
    help="How many tokens to each side a query sees, where the mask *window* is chosen.",
    **KEPT,
)
sequence = choose_one("Sequence", ("0", "1", "2"), "0", place=which, key="mw_sequence", **KEPT)
others = {name: text for name, text in (("second", second), ("third", third)) if text}
workshop = Workshop(tuple(others.values()), tuple(masks), int(width), st.session_state[PAINTED])
made = masked_batch(now.scenario, workshop)
n_batch, n_heads, n_tokens, _ = made.trace.scores.shape

with window.container():  # one place, so that what stands below keeps its own
    cell = (at_most("sequence", int(sequence), n_batch - 1), now.focus.query, now.focus.key)
asks, answers = (quoted(made.batch.tokens[cell[0]], place) for place in cell[1:])
by = fact("hidden_by", list(hidden_by(made.masks, cell[1], cell[2], cell[0])))
share = fact("share", float(made.trace.probabilities[cell[0], now.focus.head, cell[1], cell[2]]))

with window.container():  # one place for all, so that what stands below keeps its own
    for name, n_real, n_left_out in zip(
        others, made.batch.lengths[1:], made.batch.left_out[1:], strict=True
    ):
        say_cut(f"{name} sentence", n_real, n_left_out, now.scenario)
with window:
    scene = boards.sequences(made, now.focus.head, cell, now.notation)
    show_board(scene, "batch", on_pin=follow, fits=True)
shapes = ", ".join(
    f"{name} {' × '.join(map(str, mask.shape))}" for name, mask in made.masks.items()
)
st.caption(
    f"A batch of {counted(n_batch, 'sequence')},"
    f" {'each ' if n_batch > 1 else ''}{counted(n_tokens, 'token')} long: the scores are {n_batch}"
    f" × {n_heads} × {n_tokens} × {n_tokens}. "
    + (
        f"Shapes of the masks in NumPy: {shapes}; a side of length 1 or left out counts for all."
        if shapes
        else ""
    )
)
st.markdown(
    f"In sequence {cell[0]}, the :red[key {answers}] is "
    + (
        f"**hidden** from the :blue[query {asks}] by: **{', '.join(by)}**."
        if by
        else (
            f"visible to the :blue[query {asks}], which reads {percent(share)} from it in head"
            f" {now.focus.head}."
        )
    )
)

st.header("Try", anchor=False)
choice = choose_one(
    "Experiment", EXPERIMENTS, "paint a mask", key="mw_try", label_visibility="collapsed", **KEPT
)
bias = (
    bound(st.slider, "The finite bias", -20.0, 0.0, USUAL_BIAS, 0.5, key="mw_bias", **KEPT)
    if choice in ("how to hide", "mask or scale first")
    else USUAL_BIAS
)
EXPERIMENTS[choice](Bench(now, made, now.focus.head, cell, bias))
