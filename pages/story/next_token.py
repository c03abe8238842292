"""Next token: what the layer's output is good for, in a model that writes."""

import streamlit as st

from attention_lab.next_token import next_token_of
from attention_ui.page_context import page_context
from attention_ui.step import show_step
from attention_viz.story.next_token import next_token_sentences
from attention_viz.story.stages import shown_view

now = page_context()
show_step(now)
for title, sentence in next_token_sentences(next_token_of(shown_view(now, "next-token").shown)):
    st.markdown(f"**{title}.** {sentence}")
