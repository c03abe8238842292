"""Groups of controls that can be closed, and how their values stay in the URL.

A widget that is not drawn leaves the URL, and one that is drawn for the first time in a browser
does not write its value there. Everywhere `defaults` holds the name of each widget and the value
that it has until it is moved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from ..streamlit_private import ExpanderContainer
from .session import session


def draw_expander(label: str, key: str) -> ExpanderContainer:
    """A box that stays open or closed on the next page, where Streamlit would close it."""
    known = session().open
    box = st.expander(label, known.get(key, False), key=key, on_change="rerun")
    known[key] = bool(box.open)
    return box


@contextmanager
def control_group(group: str, defaults: Mapping[str, Any]) -> Iterator[Collection[str]]:
    """A group of controls that can be closed; gives the names of those to be drawn.

    In a closed box unchanged controls are left out; this saves a third of the browser's work.
    """
    moved, asked = _moved(defaults), session().asked
    with draw_expander(group, f"group {group}") as box:
        shown = [name for name in defaults if box.open or name in moved or name in asked]
        _bring_along(group, shown, moved)
        yield shown


def must_draw(defaults: Mapping[str, Any]) -> bool:
    """Whether one of the widgets was moved or is in the URL, and so must be drawn."""
    return bool(_moved(defaults)) or not session().asked.keys().isdisjoint(defaults)


def keep_in_url(group: str, defaults: Mapping[str, Any]) -> None:
    """Write moved values into the URL. defaults: of the widgets that are about to be drawn."""
    _bring_along(group, tuple(defaults), _moved(defaults))


def _bring_along(group: str, shown: Collection[str], moved: Mapping[str, Any]) -> None:
    drawn = session().drawn
    done = (*drawn.get(group, ()), *session().opening)
    new = {name: value for name, value in moved.items() if name not in done}
    if new:
        st.query_params.update(url_texts(new))
    drawn[group] = tuple(shown)


def url_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Values of bound widgets as the URL holds them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
    }


def _moved(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the widgets that are not at their default."""
    held = {name: st.session_state.get(name, default) for name, default in defaults.items()}
    return {name: value for name, value in held.items() if value != defaults[name]}
