"""The pages of the app as Streamlit's menu gets them; `attention_lab/page_list.py` lists them."""

from __future__ import annotations

import streamlit as st

from attention_lab.page_list import MENU, OLD_URLS, PAGES, page_of


def menu_pages() -> dict[str, list[st.Page]]:
    """All pages by the heading of the menu. Hidden pages answer to the bare URL and to old URLs."""
    pages = {
        heading: [
            st.Page(page.path, title=page.title, url_path=page.url_path)
            for page in PAGES
            if page.heading == heading
        ]
        for heading in MENU.values()
    }
    first = PAGES[0]
    home = st.Page(
        first.path, title=first.title, url_path="home", default=True, visibility="hidden"
    )
    pages[first.heading].append(home)
    # Last, because st.switch_page takes the first page of a file.
    pages[PAGES[-1].heading] += [
        st.Page(page_of(url).path, title=page_of(url).title, url_path=url, visibility="hidden")
        for url in OLD_URLS
    ]
    return pages
