"""Glossary: every symbol of the layer, in the chosen notation and in those of all texts, and
words without one.
"""

import streamlit as st

from attention_lab.notation.notation import COLUMNS
from attention_lab.notation.texts import NOTATIONS
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.reference.glossary import (
    elsewhere_table,
    glossary_rows,
    glossary_table,
    notation_table,
    searched_texts,
    word_table,
    words_with,
)
from attention_ui.search import search_field

text = page_context().notation

st.markdown(
    "The same quantity has many names. Here is each with its symbol, its word and what it is; names"
    " `like_this` are those of the code; those of PyTorch 2.13, BERT and other tools stand below,"
    " words without a symbol last. Whose symbols all pages show is chosen in the sidebar under"
    " *View*."
)
typed = search_field("glossary_words", "width", searched_texts(text))
rows, words = glossary_rows(typed, text), words_with(typed)
fact("quantities_found", [row.name for row in rows])
fact("words_found", [one.word for one in words])
if not rows and not words:
    st.markdown("Nothing fits: search for less.")
if rows:
    st.header(text.title, anchor=False)
    with st.container(key="glossary" if text.has_our_letters else "wide glossary"):
        st.markdown(glossary_table(rows, text))
    if not text.has_our_letters:
        st.caption(
            "Where a text has no symbol or word of its own, ours stands there; the remark says so."
        )
    if elsewhere := fact("names_elsewhere", elsewhere_table(rows)):
        st.header("In code and other tools", anchor=False)
        st.markdown(elsewhere)
    st.header("All texts side by side", anchor=False)
    with st.container(key="wide notations"):
        st.markdown(notation_table(rows))
    st.caption(
        "A dash: the text has no symbol. "
        + " · ".join(
            f"**{key}** {one.title}" for key, one in NOTATIONS.items() if one is not COLUMNS
        )
        + ". A tilde or hat over a text's letter marks a step that the text does not name."
    )
if words:
    st.header("Words without a symbol", anchor=False)
    st.markdown(word_table(words))
