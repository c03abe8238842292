"""What the frame, the address and the boards remember of a visit, as one entry of the session.

Streamlit walks through all entries of a session for many a widget that it draws: with an entry for
each of these a select box cost the server half as much again.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, cast

import streamlit as st

KEY = "visit"
_of_thread = threading.local()  # the scripts of one tab alone run in a thread


@dataclass
class Visit:
    """What one run leaves for the next. Each entry belongs to the module that is named above it."""

    # address: by name, what the address asks for, and asked at first where a run starts anew
    # half-way; what a step back takes back; refusals of what cannot be followed; labels of bound
    # widgets; what the address was made to say
    asked: dict[str, list[str]] = field(default_factory=dict)
    asked_at_first: dict[str, list[str]] | None = None
    taken_back: list[str] = field(default_factory=list)
    refused: list[Any] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    mirrored: dict[str, str | None] = field(default_factory=dict)
    url_path: str = ""  # of the page that was shown last
    # groups: which boxes are open, and which widgets were drawn in each group
    open: dict[str, bool] = field(default_factory=dict)
    drawn: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # places: the words that select boxes showed for the chosen place
    words: dict[str, str] = field(default_factory=dict)
    # board: the own cell of the board whose cell was pinned, when it was last drawn
    pinned_beside: Any = "unknown"
    # first_look: whether the first example could have been taken over; what a script of the first
    # run makes the address say; the last scenario that a layer was run on, and the one before it,
    # while the page tells of the change
    begun: bool = False
    opening: dict[str, str] = field(default_factory=dict)
    last: Any = None
    before: Any = None
    # way: the page that a callback asked for with its places, and whether it was just opened
    wanted: tuple[str, dict[str, str]] | None = None
    arrived: bool = False
    # own_numbers: the texts that keys in the address stand for, so that they are not forgotten
    held: list[Any] = field(default_factory=list)
    # facts: what the sentences of the page that is drawn state, by name
    facts: dict[str, Any] = field(default_factory=dict)
    # frame: the pages of the menu by section; whether the scripts have arrived, and what else the
    # browser was told once; here: what the page tells about
    menu: dict[str, list[Any]] | None = None
    has_scripts: bool = False
    heard: tuple[str, str] = ("", "")
    # lesson: the lesson that is shown, and which of its moments was shown last
    lesson: Any = None
    moment: tuple[str, int] | None = None
    # step: the page that is drawn, where its stage or heading is shown, and whether it is
    page: Any = None
    stage_place: Any = None
    is_headed: bool = False
    here: Any = None


def visit() -> Visit:
    """The visit of the browser tab whose run this is."""
    known: Visit | None = getattr(_of_thread, KEY, None)
    return known or _of_session()


def begin_run() -> Visit:
    """Give the visit, too, at the start of a run: it is asked for fifty times, and each look at
    the session is dear.
    """
    _of_thread.visit = begun = _of_session()
    return begun


def _of_session() -> Visit:
    if KEY not in st.session_state:
        st.session_state[KEY] = Visit()
    return cast(Visit, st.session_state[KEY])
