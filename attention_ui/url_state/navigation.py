"""Opening another page from a callback, before the old page is drawn again."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from ..registry import OLD_URLS, Page
from .session import session


def request_page(path: str, **places: object) -> None:
    """In a callback: ask for a page. places: the parameters of its URL that no bound widget has.

    Streamlit writes the parameters of bound widgets itself and refuses them here. At least one
    parameter is needed: without any, Streamlit would clear the URL, which it refuses as well.
    """
    session().requested_page = (path, {name: str(place) for name, place in places.items()})


def open_requested_page(bound: Iterable[str]) -> None:
    """Open the page that a callback asked for.

    bound: the names of bound widgets. The values that the callback set are set again on the new
    page: Streamlit sends them to the browser in the next run, and that run ends here.
    """
    now = session()
    if now.requested_page:
        path, places = now.requested_page
        now.requested_page, now.arrived = None, True
        st.switch_page(path, query_params=places)
    if now.arrived:
        now.arrived = False
        st.session_state.update(
            {name: st.session_state[name] for name in bound if name in st.session_state}
        )


def leave_old_url(url_path: str, page: Page) -> None:
    """At a URL of an earlier version, open the present URL of the page with the same parameters."""
    if url_path in OLD_URLS:
        st.switch_page(page.path, query_params=dict(session().asked))
