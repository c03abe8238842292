"""Does order matter? And which other changes of input and weights leave the output as it is."""

import streamlit as st

from attention_ui.masks.invariances import INVARIANCE_TOPICS
from attention_ui.page_context import page_context
from attention_ui.url_state import PERSISTENCE, choose_one

now = page_context()
st.markdown(
    "Six experiments with this layer: change something, run it again, and see whether the output"
    " changes."
)
topic = choose_one(
    "Topic",
    INVARIANCE_TOPICS,
    "shuffle",
    key="inv_topic",
    label_visibility="collapsed",
    **PERSISTENCE,
)
INVARIANCE_TOPICS[topic](now)
