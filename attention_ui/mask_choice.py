"""The mask step where there is no mask, and the way to the page where masks are painted."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from attention_lab.page_list import page_of
from attention_lab.url_choices import PARAMETERS
from attention_lab.url_values import url_text

from .acts import NO_MASK_KEY
from .page_context import PageContext
from .url_state import request_page, restore, session, write_to_url


def open_workshop() -> None:
    """In a callback: go to the page where masks are painted."""
    request_page(page_of("mask-workshop").path, head=st.session_state.get("head", 0))


def choose_unmasked(now: PageContext) -> PageContext:
    """The view with the choice whether the mask step is shown as it is where the layer has no mask:
    because the URL or the user chose no mask.
    """
    user, bare = session(), now.scenario.mask == "none" and len(now.sentences) == 1
    asked = PARAMETERS[NO_MASK_KEY]
    restore(NO_MASK_KEY, asked.label, "", lambda text: url_text(asked.read(text)))
    moved = user.before is not None and user.before.mask != "none"
    if not bare:
        st.session_state[NO_MASK_KEY] = ""
    elif moved or "mask" in user.asked:
        st.session_state[NO_MASK_KEY] = "true"
    write_to_url(NO_MASK_KEY, "")
    return replace(now, unmasked=bool(st.session_state[NO_MASK_KEY]))
