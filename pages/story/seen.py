"""What you have seen: one token before and after the layer, and what comes next in a model."""

import streamlit as st

from attention_lab.heads.keys_read import strongest_keys
from attention_lab.page_list import page_of
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.panels import token_markdown
from attention_viz import story
from attention_viz.labels import format_percent

NEXT_PAGES = ("practice", "break-it", "all-heads", "trained-heads", "training")

now = page_context()
trace, focus = now.trace, now.focus
asking = token_markdown(trace, "T", focus.query)

reads = []
for head in range(trace.sizes["H"]):
    for key, share in strongest_keys(trace, head, focus.query, count=1):
        reads.append(
            f"Head {head} reads most from {token_markdown(trace, 'S', key)}:"
            f" {format_percent(share)}."
        )
found = " ".join(reads) if reads else "It may see no key, so no head brings it anything."
st.markdown(f"**{asking} came in as a vector of X and leaves as one of Y.** {found}")
show_board(story.token_board(now.stage, focus.query), "seen", fits=True)
st.header("What comes next in a model", anchor=False)
st.markdown(
    "- **Residual connection:** the output is added to the input, so that a layer only has to say"
    " what is new. *Scores and mask* in the sidebar has a switch for it.\n"
    "- **LayerNorm and a feed-forward part:** every token is normalised and passes two more"
    " matrices by itself, the same for all tokens.\n"
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
        st.page_link(page.path, label=f"{before}{page.title}: {page.question}", icon=page.icon)
