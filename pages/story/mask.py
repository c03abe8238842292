"""Mask: scores that a query may not see."""

import streamlit as st

from attention_lab.masks.last_query import last_query_alone
from attention_lab.scenario import MASK_KINDS
from attention_ui.facts import fact
from attention_ui.mask_choice import choose_mask, longer, open_workshop, with_example
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, pair, token
from attention_ui.step import show_step
from attention_viz import story
from attention_viz.labels import counted, number

mask = fact("mask", page_context().scenario.mask)
now, notes = with_example(page_context())
trace, focus, scenario = now.trace, now.focus, now.scenario
n_keys = fact("keys", trace.sizes["S"])
n_seen = fact("keys_seen", n_keys - int(trace.hidden_keys[0, focus.head, focus.query]))
cell = focus.cell("query", "key")

reach = fact("window", scenario.window)
WHY = {
    "none": "No mask is chosen: in this layer every query sees every key.",
    "causal": (
        "A causal mask hides every later token; a token sees itself and those before it. A language"
        " model predicts the next word and must not see it."
    ),
    "padding": (
        "A padding mask hides the [pad] keys that only fill the sequence up. It hides keys: the"
        f" {now.turned('rows')} of padded queries are still computed, and whoever uses the output"
        " must leave them out."
    ),
    "painted": (
        "This mask was painted cell by cell in the mask workshop. It hides"
        f" {fact('cells_hidden', int(trace.hidden_keys[0, 0].sum()))} of"
        f" {counted(trace.hidden[0, 0].size, 'cell')} of every head."
    ),
    "window": (
        f"A window hides every key more than {counted(reach, 'place')} away."
        if reach
        else "A window of 0 hides every key but a token’s own."
    ),
}

in_batch = (
    " In a batch the padding mask is always added to it: no query sees a [pad] that fills its"
    " sentence up."
)
several = fact("padding_of_batch", len(now.sentences) > 1 and mask != "padding")
chosen = "No mask is chosen." if several and mask == "none" else WHY[mask]
st.markdown(f"{chosen}{in_batch if several else ''} Try {'one' if mask == 'none' else 'another'}:")
with st.container(horizontal=True):
    # All of them, always: a button that goes away would take the keyboard's place with it.
    for choice in MASK_KINDS:
        st.button(
            f"✓ {choice}" if choice == mask else choice,
            key=f"choose {choice}",
            on_click=choose_mask,
            args=(choice,),
        )
if mask == "painted":
    st.button("Paint it", on_click=open_workshop, icon=":material/brush:")
if fact("no_pad", mask == "padding" and not trace.hidden.any()):
    length = fact("can_grow", longer(scenario))
    remedy = " Make the sequence longer than the sentence:" if length else ""
    st.info("This sequence holds no [pad], so the mask hides nothing." + remedy)
    if length:
        st.button(
            f"Sequence length {length}",
            on_click=st.session_state.update,
            args=({"n_tokens": str(length)},),
        )

board = story.mask(now.stage, cell)
board = show_step(now, "masked_scores", board, notes=notes)
hatched = " Hatched cells are masked: their score is −∞, which the softmax turns into exactly 0."
st.caption(
    f"In head {focus.head}, {token(trace, 'T', focus.query)} sees {n_seen} of"
    f" {counted(n_keys, 'key')}."
    + (hatched if fact("some_hidden", bool(trace.hidden_keys.any())) else "")
)
arithmetic = draw_arithmetic(trace, "masked_scores", (0, *cell), pair(trace, focus))
with st.expander("What if there are fewer queries than keys?", icon=":material/help:"):
    alone = fact("last_query", last_query_alone(trace))
    st.markdown(
        "Then a causal mask can start from two corners. **Top left:** query t sees the keys 0 to t;"
        " so it is here, in ONNX 1.23 and with is_causal=True in PyTorch 2.13. **Bottom right:**"
        " the last query sees all keys; so it is in FlashAttention since 2.1 and with PyTorch’s"
        " causal_lower_right. With as many queries as keys the two are one.\n\nA model that writes"
        " word by word keeps the keys and values of earlier tokens (KV cache) and asks with the"
        " newest token alone. Top left hides"
        f" {alone.hidden_top_left} of the {counted(n_keys, 'key')} from it: its output in this"
        f" layer is then off by up to **{number(alone.top_left)}**. Bottom right hides none, and"
        f" differs from a run of the whole sequence by {number(alone.bottom_right)}."
    )
look_closer(now, "masked_scores", board, arithmetic)
