"""What learners ask, and every idea of the five texts, with links to the pages that show it."""

import streamlit as st

from attention_lab.diagonal.claims.catalogue import TEXTS
from attention_ui.reference.questions import (
    ASKED,
    concepts,
    entry_table,
    find_entries,
    learner_questions,
)
from attention_ui.search import note_partial, search_field
from attention_ui.url_state import draw_bound

texts = {ASKED: "What learners ask"} | {
    one.text: f"{TEXTS[one.text]} ({one.text})" for one in concepts()
}
st.markdown(
    f"The tables list {len(learner_questions())} questions that learners ask and {len(concepts())}"
    " ideas from five texts, in our words. Each has a link to a page, set up so that you see the"
    " answer. A link opens a new tab, so your own choices stay here."
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    listed = (*learner_questions(), *concepts())
    words = search_field("concepts_words", "softmax", (one.searched for one in listed))
    chosen = draw_bound(st.pills, "Text", tuple(texts), selection_mode="multi", key="concepts_text")
shown = find_entries(words, list(chosen or ()))
n_asked = sum(one.text == ASKED for one in shown)
n_ideas = len(shown) - n_asked
st.markdown(
    f"Questions: **{n_asked}** of {len(learner_questions())}. Ideas: **{n_ideas}** of"
    f" {len(concepts())}."
)
note_partial(words, *(one.searched for one in shown))
if not shown:
    st.markdown("Nothing found. Try other or fewer words.")
for text, heading in texts.items():
    mine = tuple(one for one in shown if one.text == text)
    if mine:
        st.header(heading, anchor=False)
        st.markdown(entry_table(mine))
st.caption(
    "The ideas are what the texts say, true or not. The page [Claims](claims) shows which of them"
    " are false and which hold only under a condition."
)
