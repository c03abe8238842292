"""Buttons of which one is always chosen, which the address may set."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from .binding import bound, refuse, start_anew


def one_of(
    label: str, options: Collection[str], default: str, *, place: Any = st, key: str, **about: Any
) -> str:
    """A choice, here or in another part of the page, bound to the address by its key.

    Streamlit leaves such buttons with none chosen where the address sets them to nothing, so that
    wish is taken out of the address before they are drawn, and the run starts anew.
    """
    if st.query_params.get(key) == "":
        refuse(label, "", f"; {default} is shown", default)
        start_anew(without=key)
    chosen = bound(
        place.segmented_control,
        label,
        tuple(options),
        default=default,
        required=True,
        key=key,
        **about,
    )
    return str(chosen) if chosen in options else default
