"""What one run of the script leaves for the next, as one entry of Streamlit's session.

For many widgets Streamlit walks through all entries of a session: with one entry for each of these
values a select box took the server half as long again.
"""

import threading
from dataclasses import dataclass, field
from typing import Any, cast

import streamlit as st

SESSION_KEY = "session"
_of_thread = threading.local()  # a thread runs the scripts of one tab only


@dataclass
class Session:
    """What one run leaves for the next. Each value belongs to the module that is named above it."""

    # binding: by name, what the URL asks for; the choices that a step back removes; refusals;
    # what this app wrote into the URL, and what before; whether a callback has noted an act since
    # the last run began, and whether this run is its answer
    asked: dict[str, list[str]] = field(default_factory=dict)
    taken_back: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    written: dict[str, str | None] = field(default_factory=dict)
    earlier: dict[str, set[str | None]] = field(default_factory=dict)
    has_acted: bool = False
    is_answer: bool = False
    restored: set[str] = field(default_factory=set)  # the choices that this run has read
    url_path: str = ""  # of the page that was shown last
    # widgets: which expanders are open, and which widgets the last run and this one have drawn
    open: dict[str, bool] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)
    drawing: set[str] = field(default_factory=set)
    # the words that the select boxes of places showed last
    words: dict[str, str] = field(default_factory=dict)
    # board: the own cell of the board with a pinned cell, when it was last drawn
    pinned_beside: Any = "unknown"
    # first_look: whether the visit has begun, so that no example is loaded into its first page any
    # more; whether the visitor has chosen nothing yet; the values that a script of the first run
    # writes into the URL; the last scenario of a layer, and the one before it while notes describe
    # the change; whether this run has chosen another cell to look at
    begun: bool = False
    unchosen: bool = False
    opening: dict[str, str] = field(default_factory=dict)
    last: Any = None
    before: Any = None
    looks_anew: bool = False
    # binding: the page that a callback asked for with its places, and whether it was just opened
    requested_page: tuple[str, dict[str, str]] | None = None
    arrived: bool = False
    # own_numbers: the texts that keys in the URL stand for, so that they are not forgotten
    held: list[Any] = field(default_factory=list)
    # frame: the pages of the app; whether the browser has the scripts; its title and style sheet
    pages: list[Any] | None = None
    has_scripts: bool = False
    sent_look: tuple[str, str] = ("", "")
    # lesson: the lesson that is shown, and which of its moments was shown last
    lesson: Any = None
    moment: tuple[str, int] | None = None
    # step: the current page, the container of its stage or heading, in it that of the message about
    # choices that make no layer, and whether a heading was shown; the step whose picture the
    # browser has
    page: Any = None
    stage_place: Any = None
    message_place: Any = None
    is_headed: bool = False
    pictured: Any = None
    # page_context: the choices, the cell in focus, the notation
    page_context: Any = None


def session() -> Session:
    """The session of the browser tab whose run this is."""
    known: Session | None = getattr(_of_thread, "session", None)
    return known or _of_streamlit()


def begin_run() -> Session:
    """The session, at the start of a run. It is read about fifty times per run, and reading it from
    Streamlit is slow, so the thread keeps it.
    """
    _of_thread.session = begun = _of_streamlit()
    return begun


def _of_streamlit() -> Session:
    if SESSION_KEY not in st.session_state:
        st.session_state[SESSION_KEY] = Session()
    return cast(Session, st.session_state[SESSION_KEY])
