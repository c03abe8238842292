"""What choosing a mask brings along: room for [pad], and an example where there is no mask."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from attention_core import AttentionError, SettingsError
from attention_lab.choices import MASK_KINDS, user_matrices_of
from attention_lab.page_list import page_of
from attention_lab.scenario import Scenario
from attention_lab.sentences import sentences_of, tokens_of
from attention_lab.user_data.matrix_names import MAX_TOKENS
from attention_viz.step_scene import Note

from .page_context import PageContext
from .url_state import request_page, restore, session, write_to_url

PADDING_ROOM = 2  # positions for [pad]
NO_MASK_KEY = "unmasked"  # whether the step is shown as it is where the layer has no mask
EXAMPLE_MASK = "causal"
EXAMPLE_NOTE = Note(
    f"The layer has no mask: this is what a {EXAMPLE_MASK} one would hide.",
    "Use it in every step",
    act="mask",
    value=EXAMPLE_MASK,
)


def longer_sequence(scenario: Scenario) -> int | None:
    """The sequence length with which a sentence that fills its sequence has [pad] after it; None
    where none is needed, or none can be.
    """
    with suppress(AttentionError):
        if len(sentences_of(scenario)) > 1:  # shorter sentences have [pad] after them
            return None
        tokens = tokens_of(scenario)
        n_whole = tokens.n_real + tokens.n_left_out
        is_full = len(tokens.tokens) == tokens.n_real
        if is_full and n_whole < MAX_TOKENS and user_matrices_of(scenario).x is None:
            return min(MAX_TOKENS, n_whole + PADDING_ROOM)
    return None


def make_room_for_padding(_: str = "mask") -> None:
    """In a callback: where a padding mask was chosen that would hide nothing, lengthen the
    sequence.
    """
    state = st.session_state
    if state["mask"] != "padding" or not session().last:
        return
    if length := longer_sequence(
        replace(session().last, text=state.get("text", session().last.text))
    ):
        state["n_tokens"] = str(length)


def choose_mask(mask: str) -> None:
    """In a callback: the mask that was chosen on the page."""
    if mask in MASK_KINDS:
        st.session_state.update({"mask": mask, NO_MASK_KEY: "true" if mask == "none" else ""})
        make_room_for_padding()


def open_workshop() -> None:
    """In a callback: go to the page where masks are painted."""
    request_page(page_of("mask-workshop").path, head=st.session_state.get("head", 0))


def with_example_mask(now: PageContext) -> tuple[PageContext, tuple[Note, ...]]:
    """The layer as the mask step shows it, and what is said of it: with a causal mask where it has
    none, unless the URL or the user chose no mask.
    """
    user, bare = session(), now.scenario.mask == "none" and len(now.sentences) == 1
    restore(NO_MASK_KEY, "Without a mask", "", _from_url)
    moved = user.before is not None and user.before.mask != "none"
    if not bare:
        st.session_state[NO_MASK_KEY] = ""
    elif moved or "mask" in user.asked:
        st.session_state[NO_MASK_KEY] = "true"
    write_to_url(NO_MASK_KEY, "")
    if not bare or st.session_state[NO_MASK_KEY]:
        return now, ()
    user.page_context = replace(now, scenario=replace(now.scenario, mask=EXAMPLE_MASK))
    return user.page_context, (EXAMPLE_NOTE,)


def _from_url(text: str) -> str:
    if text == "true":
        return text
    raise SettingsError("It is “true” or left out, so the page stays as it is")
