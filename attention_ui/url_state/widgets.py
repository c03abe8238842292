"""Widgets that a URL could break: buttons of which one is always chosen, boxes with names, fields
for whole numbers.

If the URL sets such buttons to nothing, Streamlit leaves none chosen; if it sets a number field to
infinity, Streamlit ends the page. So both are removed from the URL before the widget is drawn, and
the run starts anew.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import streamlit as st

from attention_core.checks import check_choice

from .binding import draw_bound, rerun_without, restore, write_to_url
from .places import set_if_changed
from .refusals import refuse

MAX_SEED = 9999


def choose_one(
    label: str, options: Collection[str], default: str, *, place: Any = st, key: str, **about: Any
) -> str:
    """Draw buttons of which one is always chosen, in `place`: `st` or a container."""
    if st.query_params.get(key) == "":
        refuse(label, "", f"; {default} is shown", default)
        rerun_without(key)
    chosen = draw_bound(
        place.segmented_control,
        label,
        tuple(options),
        default=default,
        required=True,
        key=key,
        **about,
    )
    if chosen not in options:
        return default
    return str(chosen)


def choose_named(
    label: str, names: Mapping[str, str], default: str, *, place: Any = st, key: str, **about: Any
) -> str:
    """Draw a select box that shows names; the URL and the session hold their keys."""
    restore(key, label, default, partial(check_choice, label, choices=names))
    write_to_url(key, default)
    held, widget = str(st.session_state[key]), f"choose {key}"
    set_if_changed(widget, held)
    place.selectbox(
        label,
        tuple(names),
        tuple(names).index(held),
        format_func=names.__getitem__,
        required=True,
        key=widget,
        on_change=_keep,
        args=(key, widget),
        **about,
    )
    return held


def _keep(key: str, widget: str) -> None:
    """In a callback: hold the chosen key."""
    st.session_state[key] = st.session_state[widget]


def whole_number_input(
    place: Any, label: str, low: int, high: int, default: int, **about: Any
) -> int:
    """Draw a field for a whole number, in `place`: `st` or a container."""
    key = about["key"]
    asked = st.query_params.get(key)
    if asked is not None and _is_infinite(asked):
        refuse(label, asked, f"; {default} is shown", default)
        rerun_without(key)
    typed = draw_bound(place.number_input, label, low, high, default, **about)
    if typed is None:
        return default
    return int(typed)


def seed_input(**about: Any) -> int:
    """Draw the field for the seed of a page's own random numbers."""
    return whole_number_input(st, "Seed", 0, MAX_SEED, 0, width=110, **about)


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
