"""Widgets that a URL could break, groups of controls that can be closed, and places counted from 0
(heads, tokens, features).

A widget that is not drawn leaves the URL, and a widget that a browser draws for the first time does
not write its value there. So of a closed group the moved controls are drawn. In the functions of
groups `defaults` holds the names of the widgets and the values that they have until they are
moved.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from attention_lab.url_values import REFUSAL, parse_place, quoted, url_text

from ..streamlit_private import ExpanderContainer
from .binding import PERSISTENCE, draw_bound, note_act, refuse, restore
from .session import session


def whole_number_input(
    place: Any, label: str, low: int, high: int, default: int, **about: Any
) -> int:
    """Draw a field for a whole number, in `place`: `st` or a container."""
    typed = draw_bound(place.number_input, label, low, high, default, **about)
    return default if typed is None else int(typed)


def draw_expander(label: str, key: str, opened: bool = False) -> ExpanderContainer:
    """An expander that stays open on the next page, where Streamlit would close it. opened: whether
    it is open at first.
    """
    is_open = session().open
    box = st.expander(label, is_open.get(key, opened), key=key, on_change="rerun")
    is_open[key] = bool(box.open)
    return box


@contextmanager
def control_group(
    group: str, defaults: Mapping[str, Any], held: Mapping[str, Any]
) -> Iterator[Collection[str]]:
    """A group of controls that can be closed; gives the names of the controls to draw. held: the
    values of the session.

    A closed group leaves out controls that were not moved; this saves the browser a third of its
    work.
    """
    moved, asked = _moved(defaults, held), session().asked
    with draw_expander(group, f"group {group}") as box:
        shown = [name for name in defaults if box.open or name in moved or name in asked]
        _write_new_values(shown, moved)
        yield shown


def must_draw(defaults: Mapping[str, Any], held: Mapping[str, Any]) -> bool:
    """Whether one of the widgets was moved or is in the URL, so that it must be drawn. held: the
    values of the session.
    """
    return bool(_moved(defaults, held)) or not session().asked.keys().isdisjoint(defaults)


def keep_in_url(defaults: Mapping[str, Any], held: Mapping[str, Any]) -> None:
    """Write moved values into the URL. defaults: of the widgets that are drawn next."""
    _write_new_values(defaults, _moved(defaults, held))


def _write_new_values(shown: Collection[str], moved: Mapping[str, Any]) -> None:
    """Write the moved values of widgets that the last run did not draw."""
    now = session()
    done = {*now.opening, *now.drawn}
    if new := {name: value for name, value in moved.items() if name not in done}:
        st.query_params.update(url_texts(new))
    now.drawing |= set(shown)


def end_controls() -> None:
    """Note that all controls of a run are drawn. A run that ends before leaves its own to the next,
    which may find them in the browser.
    """
    now = session()
    now.drawn, now.drawing = now.drawing, set()


def url_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Values of bound widgets as the URL holds them."""
    return {name: url_text(value) for name, value in values.items()}


def _moved(defaults: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the widgets that are not at their default."""
    now = {name: held.get(name, default) for name, default in defaults.items()}
    return {name: value for name, value in now.items() if value != defaults[name]}


def restore_place(name: str, label: str, default: int, count: int) -> None:
    """Take a place from 0 to count - 1 from the URL. A larger one becomes the last; if the URL
    asked for it, the page says so.
    """
    asked = restore(name, label, default, parse_place)
    place = held_place(name, default)
    last = min(place, count - 1)
    set_if_changed(name, last)
    if asked is not None and last < place:
        answer = f"; the last one, {last}, is shown"
        refuse([REFUSAL.format(asked=quoted(asked), label=label, answer=answer)])


def held_place(name: str, default: int = 0) -> int:
    """The place that the session holds. After a quick change the browser still sends the old words
    of a select box, "3 · street".
    """
    number = str(st.session_state.get(name, default)).split()[0]
    return int(number) if number.isdigit() else default


def set_if_changed(name: str, value: object) -> None:
    """Set the value of a widget if it differs, because setting it draws the widget twice.

    The widget must also have this value as its default, for the first time that it is drawn.
    """
    if st.session_state.get(name) != value:
        st.session_state[name] = value


def numbered_places(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels with their places.

    >>> numbered_places(["The", "cat"])
    ('0 · The', '1 · cat')
    """
    return tuple(f"{place} · {label}" for place, label in enumerate(labels))


def choose_place(label: str, name: str, words: Sequence[str], **about: Any) -> int:
    """Draw the select box of a place that `restore_place` has read; gives the place. words: its
    options.
    """
    place = int(st.session_state[name])
    if session().words.get(name) != words[place]:
        st.session_state[name] = place  # the browser knows the place by the words it had
    about = {"on_change": note_act} | about
    about |= {"format_func": words.__getitem__, "key": name, **PERSISTENCE}
    chosen = st.selectbox(label, range(len(words)), place, **about)
    session().words[name] = words[place]
    return int(chosen)
