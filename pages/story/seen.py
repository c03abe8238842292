"""What you have seen: one token before and after the layer, and what comes next in a model."""

import streamlit as st

from attention_lab.page_list import page_of
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_viz.markdown import escape_quotations
from attention_viz.story.products import token_board
from attention_viz.story.story_file import seen_sentences

NEXT_PAGES = ("practice", "what-changes", "all-heads", "trained-heads", "training")

now = page_context()
before_and_after, found = map(escape_quotations, seen_sentences(now))
st.markdown(f"**{before_and_after}** {found}")
show_board(token_board(now.stage, now.focus.query), "seen", fits=True)
st.header("What comes next in a model", anchor=False)
st.markdown(
    "- **Residual connection:** the output is added to the input, so that a layer only has to say"
    " what is new. *Scores and mask* in the sidebar has a switch for it.\n"
    "- **LayerNorm and a feed-forward part:** every token is normalised and passes two more"
    " matrices by itself, the same for all tokens. The step [Block](block) shows it in numbers.\n"
    "- **More layers:** the result is the input of the next attention layer. The trained encoder of"
    " this app has six.\n"
    "- **The next word:** a language model compares the last token's vector with the vector of"
    " every word. Attention alone predicts nothing."
)
st.header("Where to go from here", anchor=False)
with st.container(horizontal=True):
    for name in NEXT_PAGES:
        page = page_of(name)
        before = "Next: " if name == NEXT_PAGES[0] else ""
        st.page_link(page.path, label=f"{before}{page.title}: {page.question}")
