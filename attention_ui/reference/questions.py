"""What learners ask about a page, below it."""

from functools import cache

import streamlit as st

from attention_lab.page_list import Page, page_of
from attention_lab.questions import related_questions
from attention_viz.markdown import escape_markdown


@cache
def _related_markdown(page: Page) -> str:
    lines = [f"- [{escape_markdown(one.sentence)}]({one.url})" for one in related_questions(page)]
    lines.append(f"\n[All questions]({page_of('questions').url_path})")
    return "\n".join(["**Related questions**\n", *lines])


def show_foot(page: Page) -> None:
    """Draw what stands below a page: related questions, and the way to all of them."""
    if page.url_path != "questions" and page.section != "teach":
        st.markdown(_related_markdown(page))
