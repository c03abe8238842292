"""Concepts: what learners ask and every idea of the five texts, with a link to where it can be
seen.
"""

import streamlit as st

from attention_lab.diagonal.claims.catalogue import TEXTS
from attention_ui.facts import fact
from attention_ui.reference.questions import (
    ASKED,
    concepts,
    entry_table,
    found,
    questions,
    searched_texts,
)
from attention_ui.search import search_field
from attention_ui.url_state import bound
from attention_viz.labels import counted

texts = {ASKED: "What learners ask"} | {
    one.text: f"{TEXTS[one.text]} ({one.text})" for one in concepts()
}
st.markdown(
    f"{len(concepts())} ideas from five texts, in our words, and {len(questions())} questions that"
    " learners ask. Each has a link to the page, and the state of that page, in which it can be"
    " seen. A link opens a new tab, so your own numbers stay here."
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    words = search_field("concepts_words", "softmax", searched_texts((*questions(), *concepts())))
    chosen = bound(st.pills, "Text", tuple(texts), selection_mode="multi", key="concepts_text")
shown = found(words, list(chosen or ()))
n_asked = fact("questions_found", sum(one.text == ASKED for one in shown))
n_ideas = fact("concepts_found", len(shown) - n_asked)
st.markdown(
    f"**{counted(n_ideas, 'concept')}** of {len(concepts())},"
    f" **{counted(n_asked, 'question')}** of {len(questions())}:"
    if shown
    else "Nothing fits: search for less."
)
for text, heading in texts.items():
    mine = tuple(one for one in shown if one.text == text)
    if mine:
        st.header(heading, anchor=False)
        st.markdown(entry_table(mine))
st.caption(
    "Concepts are what the texts say, true or not. What of it is false, and what holds only under a"
    " condition, is on the page [Claims](claims)."
)
