"""Mask: the score of a key that a query may not see becomes minus infinity."""

import streamlit as st

from attention_lab.choices import MASK_KINDS
from attention_lab.masks.hiding import last_query_alone
from attention_lab.sentences import longer_sequence
from attention_ui.acts import act
from attention_ui.mask_choice import choose_unmasked, open_workshop
from attention_ui.masks.reach import show_reach
from attention_ui.page_context import page_context
from attention_ui.panels import (
    draw_arithmetic,
    look_closer,
    on_demand,
    pair_markdown,
    token_markdown,
)
from attention_ui.step import show_step
from attention_ui.url_state import session
from attention_viz.labels import format_number
from attention_viz.story.stages import shown_view

mask = page_context().scenario.mask
chosen = choose_unmasked(page_context())
now = session().page_context = shown_view(chosen, "mask")
trace, focus, scenario = now.trace, now.focus, now.scenario
n_keys = trace.sizes["S"]
n_seen = n_keys - int(trace.hidden_keys[0, focus.head, focus.query])
cell = focus.cell("query", "key")

MASK_EXPLANATIONS = {
    "none": "No mask is chosen: in this layer every query sees every key.",
    "causal": (
        "A causal mask hides every later token; a token sees itself and those before it. A language"
        " model predicts the next word and must not see it."
    ),
    "padding": (
        "A padding mask hides the [pad] keys, which only make the sequence longer. It hides keys"
        " only: the shares of [pad] queries are still computed. Who uses the output must skip them."
    ),
    "painted": (
        "This mask was painted cell by cell in the mask workshop. It hides"
        f" {trace.hidden_keys[0, 0].sum()} of {trace.hidden[0, 0].size} cells in every head."
    ),
    "window": (
        f"A window of {scenario.window} hides every key that is farther away than that. With 0, a"
        " token sees only itself."
    ),
}

says = MASK_EXPLANATIONS[mask]
if len(now.sentences) > 1 and mask != "padding":
    if mask == "none":
        says = "No mask is chosen."
    says += " In a batch the padding mask is always added: no query sees a [pad]."
st.markdown(f"{says} Try a mask:")
with st.container(horizontal=True):
    # All of them, always: a button that goes away would take the keyboard's place with it.
    for choice in MASK_KINDS:
        shown = "✓ " * (choice == mask) + choice
        st.button(shown, key=f"choose {choice}", on_click=act, args=("mask", choice))
if mask == "painted":
    st.button("Paint it", on_click=open_workshop, icon=":material/brush:")
if mask == "padding" and not trace.hidden.any():
    length = longer_sequence(scenario)
    st.info("This sequence has no [pad], so the mask hides nothing.")
    if length:
        st.markdown("Make the sequence longer than the sentence:")
        longer = {"n_tokens": str(length)}
        st.button(f"Sequence length {length}", on_click=st.session_state.update, args=(longer,))

show_step(chosen)
st.caption(
    f"Keys that {token_markdown(trace, 'T', focus.query)} sees in head {focus.head}: {n_seen} of"
    f" {n_keys}."
)
if trace.hidden_keys.any():
    st.caption("Hatched cells are masked: their score is −∞, which the softmax turns into 0.")
arithmetic = draw_arithmetic(trace, "masked_scores", (0, *cell), pair_markdown(trace, focus))
with st.expander("What if there are fewer queries than keys?", icon=":material/help:"):
    alone = last_query_alone(trace)
    st.markdown(
        "Then a causal mask can start from two corners. **Top left:** query t sees the keys 0 to t."
        " This app does it so, and so do ONNX 1.23 and is_causal=True in PyTorch 2.13. **Bottom"
        " right:** the last query sees all keys. FlashAttention since 2.1 and PyTorch’s"
        " causal_lower_right do it so. Where queries and keys have the same number, the two masks"
        " are equal.\n\nA model that writes word by word keeps the keys and values of earlier"
        " tokens (KV cache) and asks with the newest token alone. Top left hides"
        f" {alone.hidden_top_left} of {n_keys} keys from it: its output in this layer is then off"
        f" by up to **{format_number(alone.top_left, among=1.0)}**. Bottom right hides no key, and"
        " differs from a run of the whole sequence by"
        f" {format_number(alone.bottom_right, among=1.0)}."
    )
with on_demand("How far does a window reach over several layers?", "window reach") as box:
    if box.open:
        show_reach(now)
look_closer(now, "masked_scores", arithmetic)
