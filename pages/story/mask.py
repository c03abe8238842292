"""Mask: scores that a query may not see."""

import streamlit as st

from attention_core.scenario import tokens_of
from attention_ui.frame import here
from attention_ui.panels import arithmetic, code_and_numbers, heads_and_focus, pair, says, token

now = here()
trace, focus, scenario = now.trace, now.focus, now.scenario
n_hidden = int(trace.hidden_keys[0, focus.head, focus.query])
n_keys = trace.sizes["S"]

WHY = {
    "none": "No mask is chosen, so every query sees every key and nothing changes in this step. Try one:",
    "causal": "A causal mask hides every later token. A language model predicts the next word and must not see it.",
    "padding": "A padding mask hides the [pad] keys that only fill the sequence up. It hides keys: the rows of padded "
    "queries are still computed, and whoever uses the output must leave them out.",
    "window": f"A window hides every key more than {scenario.window} places away.",
}

says(trace, "masked_scores")
st.markdown(WHY[scenario.mask])
if scenario.mask == "none":
    with st.container(horizontal=True):
        for choice in ("causal", "padding", "window"):
            st.button(choice, on_click=st.session_state.update, args=({"mask": choice},))
elif scenario.mask == "padding" and tokens_of(scenario).n_real == n_keys:
    st.info("This sequence holds no [pad], so the mask hides nothing. Make the sequence longer than the sentence:")
    longer = min(64, n_keys + 4)
    st.button(f"Sequence length {longer}", on_click=st.session_state.update, args=({"n_tokens": str(longer)},))

heads_and_focus(trace, "masked_scores", focus, "query", "key")
st.caption(
    f"In head {focus.head}, {token(trace, 'T', focus.query)} sees {n_keys - n_hidden} of {n_keys} keys. "
    "Hatched cells are masked: their score is −∞, which the softmax turns into exactly 0."
)
arithmetic(trace, "masked_scores", (0, focus.head, focus.query, focus.key), pair(trace, focus))
code_and_numbers(trace, ("masked_scores",), focus)
