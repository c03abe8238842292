"""The pages of the app as Streamlit gets them; `attention_lab/page_list.py` lists them."""

from __future__ import annotations

import streamlit as st

from attention_lab.page_list import OLD_URLS, PAGES, page_of


def app_pages() -> list[st.Page]:
    """All pages; the bare URL and old URLs have some of their own. Streamlit draws no menu of them:
    the bar of chapters and the row of pages are ours.
    """
    pages = [st.Page(page.path, title=page.title, url_path=page.url_path) for page in PAGES]
    first = PAGES[0]
    home = st.Page(first.path, title=first.title, url_path="home", default=True)
    # Last, because st.switch_page takes the first page of a file.
    old = [st.Page(page_of(url).path, title=page_of(url).title, url_path=url) for url in OLD_URLS]
    return [*pages, home, *old]
