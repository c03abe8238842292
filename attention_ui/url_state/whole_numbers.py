"""Fields for whole numbers that the address may set."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from .binding import bound, refuse, start_anew

LAST_SEED = 9999


def whole_number_input(
    place: Any, label: str, low: int, high: int, default: int, **about: Any
) -> int:
    """A field for a whole number in `place`, which is `st` or a part of the page, bound to the
    address by its key.

    Streamlit ends a page whose address asks such a field for infinity, so that wish is taken out of
    the address before the field is drawn, and the run starts anew.
    """
    key = about["key"]
    asked = st.query_params.get(key)
    if asked is not None and _is_infinite(asked):
        refuse(label, asked, f"; {default} is shown", default)
        start_anew(without=key)
    typed = bound(place.number_input, label, low, high, default, **about)
    return default if typed is None else int(typed)


def seed_input(**about: Any) -> int:
    """The field for the seed of a page's own random numbers, bound to the address by its key."""
    return whole_number_input(st, "Seed", 0, LAST_SEED, 0, width=110, **about)


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
