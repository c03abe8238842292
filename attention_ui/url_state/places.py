"""Places counted from 0 (heads, tokens, features, layers), and cells of several places, in session
and URL.
"""

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
    """Take a place from 0 to count - 1 from the URL; a later one becomes the last, which the page
    says if the URL asked for it.

    After a quick change the browser still sends a select box's old words, "3 · street".
    """
    asked = restore(name, label, default, parse_place)
    number = str(st.session_state[name]).split()[0]
    place = int(number) if number.isdigit() else default
    last = min(place, count - 1)
    set_if_changed(name, last)
    if asked is not None and last < place:
        refuse(label, asked, f"; the last one, {last}, is shown", last)


def parse_place(text: str) -> int:
    """A place in a URL; a number beyond `MAX_INDEX` becomes `MAX_INDEX`.

    Raises: SettingsError for anything but a whole number from 0.
    """
    if text.isascii() and text.isdigit():
        # Five digits say enough, thousands take Python long.
        return min(int(text.lstrip("0")[:5] or 0), MAX_INDEX)
    raise SettingsError("A place is a whole number from 0, so what was chosen stays")


def cell_places(
    name: str, label: str, default: str, counts: Sequence[int], such_as: str
) -> tuple[int, ...]:
    """The places of a cell, such as "9-2-0", in session and URL; none where it is "".

    counts: how many there are of each. A later place becomes the last, which the page says if the
    URL asked for it. such_as: how the message about any other text begins.
    """
    asked = restore(name, label, default, partial(_cell_in, length=len(counts), such_as=such_as))
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


def _cell_in(text: str, length: int, such_as: str) -> str:
    try:
        places = [parse_place(part) for part in text.split("-")]
    except SettingsError:
        places = []
    if len(places) != length:
        raise SettingsError(f"{such_as}, so the one shown stays")
    return "-".join(map(str, places))


def set_if_changed(name: str, value: object) -> None:
    """Set the value of a widget if it differs: setting it draws the widget twice.

    The widget must have this value as its default, too, for when it is drawn for the first time.
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
    """Draw the select box of a place that `restore_place` has read; gives the place. words: what
    it shows for each place.
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
