"""The choices of the step *Block*, which only its stage has, in the URL and in the session."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from attention_lab.block import BLOCK_CONTROLS, BlockChoices

from .page_context import PageContext
from .url_state import restore, write_to_url


def block_choices() -> BlockChoices:
    """The choices as the session holds them."""
    held = st.session_state
    return BlockChoices(
        **{name: held.get(name, one.default) for name, one in BLOCK_CONTROLS.items()}
    )


def with_block_choices(now: PageContext) -> PageContext:
    """The view with the choices that the URL makes, if it makes some."""
    for name, one in BLOCK_CONTROLS.items():
        restore(name, one.label, one.default, one.read)
        write_to_url(name, one.default)
    return replace(now, block=block_choices())
