"""Places counted from 0 (heads, tokens, features, layers) and cells, in the session and the URL."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from attention_core import SettingsError
from attention_lab.user_data.edits import MAX_INDEX

from .binding import restore, write_to_url
from .refusals import refuse
from .session import session


def restore_place(name: str, label: str, default: int, count: int) -> None:
    """Take a place from 0 to count - 1 from the URL. A larger one becomes the last; if the URL
    asked for it, the page says so.
    """
    asked = restore(name, label, default, parse_place)
    place = held_place(name, default)
    last = min(place, count - 1)
    set_if_changed(name, last)
    if asked is not None and last < place:
        refuse(label, asked, f"; the last one, {last}, is shown", last)


def held_place(name: str, default: int = 0) -> int:
    """The place that the session holds. After a quick change the browser still sends the old words
    of a select box, "3 · street".
    """
    number = str(st.session_state.get(name, default)).split()[0]
    if number.isdigit():
        return int(number)
    return default


def parse_place(text: str) -> int:
    """The place that a text in a URL means; a number beyond `MAX_INDEX` becomes `MAX_INDEX`.

    Raises: SettingsError for anything but a whole number from 0.
    """
    if text.isascii() and text.isdigit():
        # Five digits are enough; thousands would take Python long.
        return min(int(text.lstrip("0")[:5] or 0), MAX_INDEX)
    raise SettingsError("A place is a whole number from 0, so what was chosen stays")


def cell_places(
    name: str, label: str, default: str, counts: Sequence[int], such_as: str
) -> tuple[int, ...]:
    """The places of a cell that session and URL hold as text, such as "9-2-0"; none for "".

    counts: the number of places along each axis. A larger place becomes the last; if the URL asked
    for it, the page says so. such_as: how the message about an invalid text begins.
    """
    asked = restore(name, label, default, partial(_parse_cell, length=len(counts), such_as=such_as))
    held = tuple(int(place) for place in st.session_state[name].split("-") if place)
    shown = tuple(min(place, count - 1) for place, count in zip(held, counts, strict=False))
    if asked is not None and shown != held:
        set_places(name, *shown)
        nearest = st.session_state[name]
        refuse(label, asked, f"; the nearest one, {nearest}, is shown", nearest)
    write_to_url(name, default)
    return shown


def set_places(name: str, *places: int) -> None:
    """In a callback: make these the places of a cell."""
    st.session_state[name] = "-".join(str(min(place, MAX_INDEX)) for place in places)


def _parse_cell(text: str, length: int, such_as: str) -> str:
    try:
        places = [parse_place(part) for part in text.split("-")]
    except SettingsError:
        places = []
    if len(places) != length:
        raise SettingsError(f"{such_as}, so the one shown stays")
    return "-".join(map(str, places))


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
    chosen = st.selectbox(
        label,
        range(len(words)),
        place,
        format_func=words.__getitem__,
        key=name,
        persist_state="session",
        **about,
    )
    session().words[name] = words[place]
    return int(chosen)
