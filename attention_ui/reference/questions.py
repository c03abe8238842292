"""What learners ask, on the overview and below each page."""

from __future__ import annotations

from functools import cache

import streamlit as st

from attention_lab.page_list import Page, page_of
from attention_lab.questions import (
    find_entries,
    learner_questions,
    related_questions,
    searched_texts,
)
from attention_lab.search import NOTHING
from attention_viz.markdown import escape_markdown
from attention_viz.reference.questions_page import FEW, entry_table, ranked_table

from ..blocks import table_markdown
from ..search import note_partial, search_field


@st.fragment
def show_questions() -> None:
    """Draw what learners ask with its search. A search runs only this part of the page again."""
    st.header("What learners ask", anchor=False)
    words = search_field("asked_words", "parameters", searched_texts())
    if not words:
        st.markdown(table_markdown(entry_table(learner_questions())))
    elif shown := find_entries(words)[:FEW]:
        note_partial(words, shown[0].searched)
        st.markdown(table_markdown(ranked_table(shown)))
    else:
        st.markdown(NOTHING)


@cache
def _related_markdown(page: Page) -> str:
    lines = [f"- [{escape_markdown(one.sentence)}]({one.url})" for one in related_questions(page)]
    lines.append(f"\n[All questions]({page_of('questions').url_path})")
    return "\n".join(["**Related questions**\n", *lines])


def show_foot(page: Page) -> None:
    """Draw what stands below a page: related questions, and the way to all of them."""
    if page.url_path != "questions" and page.section != "teach":
        st.markdown(_related_markdown(page))
