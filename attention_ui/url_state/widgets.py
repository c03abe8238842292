"""Widgets that a URL could break: buttons of which one is always chosen, fields for whole numbers.

Streamlit leaves such buttons with none chosen where the URL sets them to nothing, and ends a page
whose URL asks a number field for infinity. So either is taken out of the URL before the widget is
drawn, and the run starts anew.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import streamlit as st

from .binding import bound, rerun_without
from .refusals import refuse

LAST_SEED = 9999


def choose_one(
    label: str, options: Collection[str], default: str, *, place: Any = st, key: str, **about: Any
) -> str:
    """Buttons of which one is always chosen, in `place`, which is `st` or a part of the page."""
    if st.query_params.get(key) == "":
        refuse(label, "", f"; {default} is shown", default)
        rerun_without(key)
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


def whole_number_input(
    place: Any, label: str, low: int, high: int, default: int, **about: Any
) -> int:
    """A field for a whole number, in `place`, which is `st` or a part of the page."""
    key = about["key"]
    asked = st.query_params.get(key)
    if asked is not None and _is_infinite(asked):
        refuse(label, asked, f"; {default} is shown", default)
        rerun_without(key)
    typed = bound(place.number_input, label, low, high, default, **about)
    return default if typed is None else int(typed)


def seed_input(**about: Any) -> int:
    """The field for the seed of a page's own random numbers."""
    return whole_number_input(st, "Seed", 0, LAST_SEED, 0, width=110, **about)


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
