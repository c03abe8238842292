"""The choices of the step *Block*, which only its stage has, in the URL and in the session."""

from __future__ import annotations

from dataclasses import asdict, replace

import streamlit as st

from attention_lab.block import BLOCK_OPTIONS, BlockChoices
from attention_lab.url_choices import PARAMETERS

from .page_context import PageContext
from .url_state import restore, write_to_url


def with_block_choices(now: PageContext) -> PageContext:
    """The view with the choices of the step *Block*."""
    defaults = asdict(BlockChoices())
    for name in BLOCK_OPTIONS:
        asked = PARAMETERS[name]
        restore(name, asked.label, defaults[name], asked.read)
        write_to_url(name, defaults[name])
    return replace(now, block=BlockChoices(**{name: st.session_state[name] for name in defaults}))
