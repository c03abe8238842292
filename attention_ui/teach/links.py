"""Links that a teacher hands out: to a page with the current choices, as text and QR code."""

from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

import streamlit as st

from attention_lab.lessons.lesson import LESSON_PARAMETERS
from attention_viz.qr_code import qr_code

MAX_QR_CHARACTERS = 1200  # QR codes of longer links are too fine for a phone


def visited_url() -> str:
    """The URL of the app in the visitor's browser, with a slash at the end."""
    parts = urlsplit(st.context.url or "http://localhost:8501/")
    return f"{parts.scheme}://{parts.netloc}/"


def show_link(link: str, title: str) -> None:
    """A link with a button that copies it, and a QR code if the link is short enough."""
    st.code(link, language=None, wrap_lines=True)
    if len(link) > MAX_QR_CHARACTERS:
        st.caption("The link is too long for a QR code that a phone can read.")
        return
    with st.popover("QR code", icon=":material/qr_code_2:"):
        st.html(f'<div class="qr">{qr_code(link, title)}</div>')


def page_choices() -> dict[str, str]:
    """The choices in the URL, without those of lessons."""
    now = st.query_params.to_dict()
    return {name: text for name, text in now.items() if name not in LESSON_PARAMETERS}


def link_to(url_path: str, choices: Mapping[str, str]) -> str:
    """The link to a page with some choices, as it stands in the visitor's browser."""
    return f"{visited_url()}{url_path}?{urlencode(choices)}".removesuffix("?")
