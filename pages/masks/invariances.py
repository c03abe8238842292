"""What the layer cannot see: changes of its input and its weights that do not show in its output."""

import streamlit as st

from attention_ui.here import here
from attention_ui.masks.invariance_topics import KEPT, TOPICS

now = here()
topic = st.segmented_control("Topic", tuple(TOPICS), default="shuffle", required=True, key="inv_topic",
                             label_visibility="collapsed", **KEPT)  # fmt: skip
TOPICS[topic or "shuffle"](now)
