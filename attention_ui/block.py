"""The choices of the step *Block*, which only its stage has, in the URL and in the session."""

from __future__ import annotations

from dataclasses import asdict, replace

import streamlit as st

from attention_lab.block import BLOCK_OPTIONS, BlockChoices
from attention_lab.url_choices import PARAMETERS

from .page_context import PageContext
from .url_state import restore, write_to_url

DEFAULTS = asdict(BlockChoices())


def block_choices() -> BlockChoices:
    """The choices as the session holds them."""
    return BlockChoices(**{name: st.session_state.get(name, DEFAULTS[name]) for name in DEFAULTS})


def with_block_choices(now: PageContext) -> PageContext:
    """The view with the choices that the URL makes, if it makes some."""
    for name in BLOCK_OPTIONS:
        asked = PARAMETERS[name]
        restore(name, asked.label, DEFAULTS[name], asked.read)
        write_to_url(name, DEFAULTS[name])
    return replace(now, block=block_choices())
