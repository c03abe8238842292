"""Fields for whole numbers that the address may set."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from .markdown import plain

REFUSED = "refused number"


def whole_number_input(place: Any, label: str, low: int, high: int, default: int, **about: Any) -> int:
    """A field for a whole number in `place`, which is `st` or a part of the page, bound to the address by its key.

    Streamlit ends a page whose address asks such a field for infinity, so that wish is taken out of the address before
    the field is drawn, and said in the run that follows.
    """
    key = about["key"]
    asked = st.query_params.get(key)
    if asked is not None and _is_infinite(asked):
        del st.query_params[key]
        st.session_state[REFUSED] = f"The address asks for {label} “{plain(asked[:40])}”; {default} is shown."
        st.rerun()
    typed = place.number_input(label, low, high, default, **about)
    return default if typed is None else int(typed)


def say_refused() -> None:
    """Say what was taken out of the address in the run before; the group of its field may be closed by now."""
    if refused := st.session_state.pop(REFUSED, ""):
        st.toast(refused)


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
