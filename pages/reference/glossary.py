"""Glossary: every symbol of the layer in all notations, with axes and sizes; words without one."""

from contextlib import suppress

import streamlit as st

from attention_core import AXES, AttentionError
from attention_lab.notation.notation import COLUMN_NOTATION
from attention_lab.notation.texts import NOTATIONS
from attention_ui.page_context import page_context
from attention_ui.reference.glossary import (
    elsewhere_table,
    find_in_glossary,
    glossary_table,
    glossary_texts,
    notation_table,
    searched_texts,
    word_table,
)
from attention_ui.search import note_partial, search_field

now = page_context()
text, trace = now.notation, None
with suppress(AttentionError):  # the sizes are those of a layer, if the choices make one
    trace = now.trace

st.markdown(
    "The tables list every quantity with its symbol, its name, its axes and sizes in your layer,"
    " and its meaning. Names `like_this`"
    " are those of our code. A formula writes sizes as $n$, $C$ or $h$. Code names the axes of an"
    " array by capitals at the end of its name: `scores_BHTS` has batch, head, query token and key"
    " token. The next tables list the names in PyTorch 2.13, BERT and other tools,"
    " the symbols of five texts, and words without a symbol. *View* in the sidebar chooses the"
    " symbols that all pages show."
)
typed = search_field("glossary_words", "width", glossary_texts(text))
rows, words = find_in_glossary(typed, text)
note_partial(typed, *map(searched_texts, rows), *map(searched_texts, words))
if not rows and not words:
    st.markdown("Nothing found. Try other or fewer words.")
if rows:
    st.header(text.title, anchor=False)
    with st.container(key={True: "glossary", False: "wide glossary"}[text.has_our_letters]):
        st.markdown(glossary_table(rows, text, trace))
    if text.has_our_letters:
        axes = " · ".join(f"**{letter}** {word}" for letter, word in AXES.items())
        st.caption(f"Axes: {axes}")
    else:
        st.caption(
            "Where a text has no symbol or word of its own, the table shows ours and a remark."
        )
    if elsewhere := elsewhere_table(rows):
        st.header("In code and other tools", anchor=False)
        st.markdown(elsewhere)
    st.header("All texts side by side", anchor=False)
    with st.container(key="wide notations"):
        st.markdown(notation_table(rows))
    st.caption(
        "A dash means that the text has no symbol. "
        + " · ".join(
            f"**{key}** {one.title}" for key, one in NOTATIONS.items() if one is not COLUMN_NOTATION
        )
        + ". A tilde or a hat over a letter marks a step that the text does not name."
    )
if words:
    st.header("Words without a symbol", anchor=False)
    st.markdown(word_table(words))
