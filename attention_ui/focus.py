"""The cell in focus: a head, a query, a key and a feature, set by clicks and by select boxes.

Bound select boxes would write the words of tokens into the URL, and lose the place when the
sentence changes. So the four numbers are kept here: `st.session_state` holds them, the URL shows
them, and a changed URL wins.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from attention_core import Trace
from attention_lab.acts import opening_feature
from attention_lab.focus import FOCUS_HELP, Focus, focus_lengths, moved_places
from attention_lab.page_list import Page
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS
from attention_lab.url_choices import THREE, opens_at_a_cell
from attention_lab.user_data.edits import MAX_INDEX

from .acts import act
from .presets import is_held
from .url_state import (
    choose_place,
    numbered_places,
    requested,
    restore_place,
    session,
    set_if_changed,
    write_to_url,
)


def choose_focus(trace: Trace | None, page: Page, scenario: Scenario) -> Focus:
    """The cell in focus, and the select boxes of the places that the page looks into. scenario: of
    the sequence, as it is run.

    A place beyond the trace becomes the last one; if the URL asked for it, the page says so.
    Without a trace or places the places stay as they are.
    """
    names = page.looks_into
    lengths = dict.fromkeys(FOCUS, MAX_INDEX + 1)
    if trace is not None and names:
        lengths = focus_lengths(trace)
    for name in FOCUS:
        restore_place(name, name.capitalize(), 0, lengths[name])
    feature = _with_feature(trace, page, scenario) if trace is not None else 0
    if trace is not None:
        _draw(trace, {name: lengths[name] for name in names})
    place = Focus(*(st.session_state[name] for name in FOCUS))
    defaults: dict[str, int | None] = {**dict.fromkeys(FOCUS, 0), "feature": feature}
    if trace is not None and place == Focus(0, 0, 0, feature) and _must_be_named():
        defaults["head"] = None
    for name, default in defaults.items():
        write_to_url(name, default)
    return place


def _with_feature(trace: Trace, page: Page, scenario: Scenario) -> int:
    """The feature with which the page opens. A visitor who comes from another page, or whose cell
    was chosen anew, and has chosen no feature gets it.
    """
    now = session()
    focus = Focus(*(int(st.session_state[name]) for name in FOCUS))
    which = st.session_state.get("which", THREE[0])
    feature = opening_feature(trace, scenario, page, focus, which)
    is_chosen = requested("feature") is not None or now.written.get("feature") is not None
    if (now.url_path != page.url_path or now.looks_anew) and not is_chosen:
        set_if_changed("feature", feature)
    now.looks_anew = False
    return feature


def _must_be_named() -> bool:
    """Whether the URL names the head of the first cell: one with no choice but the sentence opens
    the first example, and one of a model's layer opens at another cell.
    """
    shown = session().last
    return is_held(default_layer()) or bool(shown and opens_at_a_cell(shown))


def default_layer() -> Scenario:
    """The layer of a URL that names nothing but a head, with the sentence of the session."""
    return Scenario(st.session_state.get("text", Scenario().text))


def _draw(trace: Trace, lengths: Mapping[str, int]) -> None:
    words = {name: tuple(map(str, range(length))) for name, length in lengths.items()}
    words["query"] = numbered_places(trace.labels("T"))
    words["key"] = numbered_places(trace.labels("S"))
    look: dict[str, Any] = {"width": 114}  # px
    if st.session_state.get("present"):
        look = {"width": "stretch"}
    for name in lengths:
        more = look | ({"on_change": act, "args": ("head",)} if name == "head" else {})
        choose_place(name.capitalize(), name, words[name], help=FOCUS_HELP[name], **more)


def move_focus(axes: Sequence[tuple[str, int | None]], index: Sequence[int]) -> None:
    """In a callback: move the focus to a cell of an array; see `moved_places`."""
    st.session_state.update(moved_places(axes, index))
