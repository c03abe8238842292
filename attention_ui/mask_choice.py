"""What choosing a mask brings along: room for [pad], and an example where there is no mask."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from attention_lab.mask_kinds import MASKS, NO_MASK, PADDING
from attention_lab.page_list import page_of
from attention_lab.sentences import longer_sequence
from attention_lab.url_choices import PARAMETERS
from attention_lab.url_values import url_text

from .page_context import PageContext
from .url_state import request_page, restore, session, write_to_url

NO_MASK_KEY = "unmasked"  # whether the step is shown as it is where the layer has no mask


def make_room_for_padding(_: str = "mask") -> None:
    """In a callback: where a padding mask was chosen that would hide nothing, lengthen the
    sequence.
    """
    state = st.session_state
    if state["mask"] != PADDING.name or not session().last:
        return
    if length := longer_sequence(
        replace(session().last, text=state.get("text", session().last.text))
    ):
        state["n_tokens"] = str(length)


def choose_mask(mask: str) -> None:
    """In a callback: the mask that was chosen on the page."""
    if mask in MASKS:
        st.session_state.update({"mask": mask, NO_MASK_KEY: "true" if mask == NO_MASK.name else ""})
        make_room_for_padding()


def open_workshop() -> None:
    """In a callback: go to the page where masks are painted."""
    request_page(page_of("mask-workshop").path, head=st.session_state.get("head", 0))


def choose_unmasked(now: PageContext) -> PageContext:
    """The view with the choice whether the mask step is shown as it is where the layer has no mask:
    because the URL or the user chose no mask.
    """
    user, bare = session(), now.scenario.mask == NO_MASK.name and len(now.sentences) == 1
    asked = PARAMETERS[NO_MASK_KEY]
    restore(NO_MASK_KEY, asked.label, "", lambda text: url_text(asked.read(text)))
    moved = user.before is not None and user.before.mask != NO_MASK.name
    if not bare:
        st.session_state[NO_MASK_KEY] = ""
    elif moved or "mask" in user.asked:
        st.session_state[NO_MASK_KEY] = "true"
    write_to_url(NO_MASK_KEY, "")
    return replace(now, unmasked=bool(st.session_state[NO_MASK_KEY]))
