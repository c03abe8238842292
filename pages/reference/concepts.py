"""Concepts: every idea of the five texts, with a link to where it can be seen."""

import streamlit as st

from attention_core.diagonal.claims import TEXTS
from attention_ui.address import bound
from attention_ui.reference.concepts import concept_table, concepts, found
from attention_ui.search import search_field
from attention_viz.labels import counted

texts = tuple(dict.fromkeys(one.text for one in concepts()))
st.markdown(
    f"{len(concepts())} ideas from five texts, in our words. Each has a link to the page, and the state of that page, "
    "in which it can be seen. A link opens a new tab, so your own numbers stay here."
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    words = search_field("concepts_words", "softmax")
    chosen = bound(st.pills, "Text", texts, selection_mode="multi", key="concepts_text")
shown = found(words, list(chosen or ()))
st.markdown(
    f"**{counted(len(shown), 'concept')}** of {len(concepts())}:" if shown else "Nothing fits: search for less."
)
for text in texts:
    mine = tuple(one for one in shown if one.text == text)
    if mine:
        st.subheader(f"{TEXTS[text]} ({text})", anchor=False)
        st.markdown(concept_table(mine))
st.caption(
    "This is what the texts say, true or not. What of it is false, and what holds only under a condition, is on the "
    "page [Claims](claims)."
)
