"""Block: what stands around attention in a Transformer, with every number."""

import streamlit as st

from attention_lab.block import block_facts, block_of
from attention_lab.export.block_code import block_code
from attention_ui.block import with_block_choices
from attention_ui.page_context import page_context
from attention_ui.panels import on_demand, token_markdown
from attention_ui.step import show_step
from attention_ui.url_state import session
from attention_viz.story.block import block_sentences

now = session().page_context = with_block_choices(page_context())
show_step(now)
block = block_of(now.scenario, now.block, now.sequence)
query = now.focus.query
facts = block_facts(now.scenario, now.block, now.sequence, query)
for title, sentence in block_sentences(block, facts, token_markdown(now.trace, "T", query)):
    st.markdown(f"**{title}.** {sentence}")
with on_demand("The code", "block code", "code") as box:
    if box.open:
        st.code(block_code(block), language="python")
