"""The cell in focus: a head, a query, a key and a feature. One state, in the URL, set by clicks and
by select boxes.

Bound Streamlit widgets would write token texts into the URL and lose the place when the sentence
changes, so these four numbers are kept here: `st.session_state` holds them, the URL mirrors them,
and a changed URL wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from attention_core import Trace
from attention_core.head_blocks import head_columns
from attention_lab.state_file import FOCUS
from attention_lab.user_data.edits import MAX_INDEX

from .presets import is_untouched
from .url_state import choose_place, numbered_places, restore_place, write_to_url

NAMES = FOCUS
FOCUS_HELP = {
    "head": "Which head the pages look into.",
    "query": "The token that asks.",
    "key": "The token that is looked at.",
    "feature": (
        "Which number of a vector is worked out; a vector that is shorter shows its last one."
    ),
}
FOCUS_AXES = {
    "H": "head",
    "T": "query",
    "S": "key",
    "K": "feature",
    "V": "feature",
    "D": "feature",
    "O": "feature",
}


@dataclass(frozen=True)
class Focus:
    """Which numbers the pages explain; each lies within the trace it was made for."""

    head: int
    query: int
    key: int
    feature: int

    def cell(self, rows: str, columns: str) -> tuple[int, int, int]:
        """Head, row and column of the focused cell; rows and columns are given by names, for
        example query, key.
        """
        return self.head, getattr(self, rows), getattr(self, columns)

    def within(self, trace: Trace, field: str) -> Focus:
        """The same place, with the feature inside one head's width of a field: the nearest one
        that it has.
        """
        width = trace.sizes[trace.axes(field)[-1].split("·")[-1]]
        return replace(self, feature=min(self.feature, width - 1))

    def column(self, trace: Trace, field: str) -> int:
        """The column of a field that the feature names; where heads lie side by side, the
        head's block counts.
        """
        place = self.within(trace, field).feature
        side_by_side = "·" in trace.axes(field)[-1]
        return head_columns(trace, field, self.head).start + place if side_by_side else place


def choose_focus(trace: Trace | None, names: Sequence[str]) -> Focus:
    """The place that four select boxes name. names: whose boxes are drawn, since the others have
    nothing to choose.

    A place outside the trace moves to its nearest end; where the address asked for it, it is said.
    Without a trace, or where nothing is named, the place stays as it is.
    """
    lengths = (
        _lengths(trace) if trace is not None and names else dict.fromkeys(NAMES, MAX_INDEX + 1)
    )
    for name in NAMES:
        restore_place(name, name.capitalize(), 0, lengths[name])
    if trace is not None:
        _draw(trace, {name: lengths[name] for name in names})
    place = Focus(*(st.session_state[name] for name in NAMES))
    # What names nothing opens the first example, so that the usual layer's address names the head.
    is_first = trace is not None and place == Focus(0, 0, 0, 0) and is_untouched()
    for name in NAMES:
        write_to_url(name, None if is_first and name == "head" else 0)
    return place


def _lengths(trace: Trace) -> dict[str, int]:
    sizes = trace.sizes
    widest = max(sizes["K"], sizes["V"], sizes["D"], sizes["O"])
    return {"head": sizes["H"], "query": sizes["T"], "key": sizes["S"], "feature": widest}


def _draw(trace: Trace, lengths: Mapping[str, int]) -> None:
    tokens = {"query": trace.labels("T"), "key": trace.labels("S")}
    width: Literal["stretch"] | int = "stretch" if st.session_state.get("present") else 114
    for name, length in lengths.items():
        words = numbered_places(tokens[name]) if name in tokens else tuple(map(str, range(length)))
        choose_place(name.capitalize(), name, words, help=FOCUS_HELP[name], width=width)


def move_focus(axes: Sequence[tuple[str, int | None]], index: Sequence[int]) -> None:
    """Move the focus to a cell of an array.

    axes: each axis letter, and the width of a head where heads lie side by side. Batch and shared
    heads say nothing.
    """
    moved: dict[str, int] = {}
    for (letter, block), number in zip(axes, index, strict=True):
        if block:
            moved["head"], moved["feature"] = divmod(number, block)
        elif letter in FOCUS_AXES:
            moved[FOCUS_AXES[letter]] = number
    st.session_state.update({name: min(number, MAX_INDEX) for name, number in moved.items()})
