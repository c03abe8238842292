"""The menu: every page under its heading, and hidden pages for other URLs."""

from __future__ import annotations

import streamlit as st

from .registry import MENU, OLD_URLS, PAGES, page_of


def menu_pages() -> dict[str, list[st.Page]]:
    """All pages by heading. Hidden ones answer to the bare URL and to those of earlier versions."""
    under = {
        heading: [
            st.Page(page.path, title=page.title, url_path=page.url_path)
            for page in PAGES
            if page.heading == heading
        ]
        for heading in MENU
    }
    home = st.Page(
        PAGES[0].path, title=PAGES[0].title, url_path="home", default=True, visibility="hidden"
    )
    old = [
        st.Page(page_of(url).path, title=page_of(url).title, url_path=url, visibility="hidden")
        for url in OLD_URLS
    ]
    under[next(iter(under))].append(home)
    # Last: st.switch_page takes the first page of a file.
    under[next(reversed(under))].extend(old)
    return under
