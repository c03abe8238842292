"""Going to another page from a callback, before the old page is drawn again."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from ..registry import OLD_URLS, Page
from .session import session


def request_page(path: str, **places: object) -> None:
    """In a callback: the page to go to, and what its address holds besides the values of bound
    widgets.

    Streamlit refuses to hand on parameters that belong to widgets; it writes those again by itself.
    It needs some parameters all the same: with none it would clear the address, which it refuses,
    too.
    """
    session().requested_page = (path, {name: str(place) for name, place in places.items()})


def open_requested_page(bound: Iterable[str]) -> None:
    """Change the page if a callback asked for it.

    bound: the names of bound widgets. What the callback set for one is set once more on the new
    page: Streamlit tells the browser of a value only in the run that follows, which is the one that
    ends here.
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
    """Go on to a page at its URL of today, with all that the URL asks for, from one of an earlier
    version.
    """
    if url_path in OLD_URLS:
        st.switch_page(page.path, query_params=dict(session().asked))
