"""Groups of controls that can be closed, while their values stay in the URL.

A widget that is not drawn leaves the URL, and a widget that a browser draws for the first time does
not write its value there. In all functions `defaults` holds the names of the widgets and the values
that they have until they are moved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from ..streamlit_private import ExpanderContainer
from .session import session


def draw_expander(label: str, key: str) -> ExpanderContainer:
    """An expander that stays open on the next page, where Streamlit would close it."""
    is_open = session().open
    box = st.expander(label, is_open.get(key, False), key=key, on_change="rerun")
    is_open[key] = bool(box.open)
    return box


@contextmanager
def control_group(group: str, defaults: Mapping[str, Any]) -> Iterator[Collection[str]]:
    """A group of controls that can be closed; gives the names of the controls to draw.

    A closed group leaves out controls that were not moved; this saves the browser a third of its
    work.
    """
    moved, asked = _moved(defaults), session().asked
    with draw_expander(group, f"group {group}") as box:
        shown = [name for name in defaults if box.open or name in moved or name in asked]
        _write_new_values(group, shown, moved)
        yield shown


def must_draw(defaults: Mapping[str, Any]) -> bool:
    """Whether one of the widgets was moved or is in the URL, so that it must be drawn."""
    return bool(_moved(defaults)) or not session().asked.keys().isdisjoint(defaults)


def keep_in_url(group: str, defaults: Mapping[str, Any]) -> None:
    """Write moved values into the URL. defaults: of the widgets that are drawn next."""
    _write_new_values(group, tuple(defaults), _moved(defaults))


def _write_new_values(group: str, shown: Collection[str], moved: Mapping[str, Any]) -> None:
    """Write the moved values of widgets that the last run did not draw."""
    drawn = session().drawn
    done = (*drawn.get(group, ()), *session().opening)
    new = {name: value for name, value in moved.items() if name not in done}
    if new:
        st.query_params.update(url_texts(new))
    drawn[group] = tuple(shown)


def url_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Values of bound widgets as the URL holds them: true and false in small letters."""
    texts = {name: str(value) for name, value in values.items()}
    return texts | {name: texts[name].lower() for name, v in values.items() if isinstance(v, bool)}


def _moved(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the widgets that are not at their default."""
    held = {name: st.session_state.get(name, default) for name, default in defaults.items()}
    return {name: value for name, value in held.items() if value != defaults[name]}
