"""The cell in focus: a head, a query, a key and a feature. One state, in the URL, set by clicks and by select boxes.

Bound Streamlit widgets would write token texts into the URL and lose the place when the sentence changes, so these
four numbers are kept here: `st.session_state` holds them, the URL mirrors them, and a changed URL wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from attention_core import Trace
from attention_core.heads import head_columns
from attention_viz.heatmap import Cell

from .markdown import plain

NAMES = ("head", "query", "key", "feature")
LARGEST = 4096


@dataclass(frozen=True)
class Focus:
    """Which numbers the pages explain; each lies within the trace it was made for."""

    head: int
    query: int
    key: int
    feature: int

    def cell(self, rows: str, columns: str) -> Cell:
        """The focused cell of a matrix whose rows and columns are given by names, for example query, key."""
        return Cell(self.head, getattr(self, rows), getattr(self, columns))

    def within(self, trace: Trace, field: str) -> Focus:
        """The same place, with the feature inside one head's width of a field: the nearest one that it has."""
        width = trace.sizes[trace.axes(field)[-1].split("·")[-1]]
        return replace(self, feature=min(self.feature, width - 1))

    def column(self, trace: Trace, field: str) -> int:
        """The column of a field that the feature names; where heads lie side by side, the head's block counts."""
        place = self.within(trace, field).feature
        side_by_side = "·" in trace.axes(field)[-1]
        return head_columns(trace, field, self.head).start + place if side_by_side else place


def focus(trace: Trace) -> Focus:
    """Draw the four select boxes and give the place they name. A place outside the trace moves to its nearest end."""
    _adopt_url()
    sizes = trace.sizes
    widest = max(sizes["K"], sizes["V"], sizes["D"], sizes["O"])
    lengths = {"head": sizes["H"], "query": sizes["T"], "key": sizes["S"], "feature": widest}
    labels = {"query": trace.labels("T"), "key": trace.labels("S")}
    helps = {
        "head": "Which head the pages look into.",
        "query": "The token that asks: a row of the heatmaps.",
        "key": "The token that is looked at: a column of the heatmaps.",
        "feature": "Which number of a vector is worked out; a vector that is shorter shows its last one.",
    }
    st.markdown("**In focus**")
    across = 1 if st.session_state["present"] else 2
    places = [place for _ in range(0, len(NAMES), across) for place in st.columns(across)]
    for name, place in zip(NAMES, places, strict=True):
        st.session_state[name] = min(_index(st.session_state[name]), lengths[name] - 1)
        place.selectbox(
            name.capitalize(),
            range(lengths[name]),
            format_func=partial(_named, labels.get(name)),
            key=name,
            help=helps[name],
            persist_state="session",
        )
    _mirror()
    return Focus(*(st.session_state[name] for name in NAMES))


def follow_click(chart: str, names: tuple[str, str]) -> None:
    """Move the focus to the clicked cell of a chart; names say what its rows and columns are."""
    points = st.session_state[chart].selection.points
    if points:
        place = points[0]["customdata"]
        # A typed array comes back from the browser as an object: {"0": head, "1": row, "2": column}.
        head, row, column = (int(i) for i in (place.values() if isinstance(place, Mapping) else place))
        moved: Mapping[str, Any] = dict(zip(names, (row, column), strict=True))
        st.session_state.update({**moved, **({"head": head} if head >= 0 else {})})


def _index(chosen: object) -> int:
    """The index of a chosen entry. After a quick change the browser still sends an entry's old words, "3 · street"."""
    number = str(chosen).split()[0]
    return int(number) if number.isdigit() else 0


def _named(labels: tuple[str, ...] | None, index: int) -> str:
    return f"{index} · {labels[index]}" if labels else str(index)


def _adopt_url() -> None:
    """Take over a number that came by the address, and say so when it is none."""
    for name in NAMES:
        given = st.query_params.get(name)
        known = st.session_state.setdefault(name, 0)
        if given is None or given == st.session_state.get(f"url {name}"):
            continue
        if given.isascii() and given.isdigit() and len(given) < 6:
            st.session_state[name] = min(int(given), LARGEST)
        else:
            st.session_state[name] = known
            st.toast(f"The address asks for {name} “{plain(given[:20])}”, which is no place; {known} is shown.")


def _mirror() -> None:
    for name in NAMES:
        shown = str(st.session_state[name])
        if shown != st.query_params.get(name, "0"):
            st.query_params[name] = shown
        st.session_state[f"url {name}"] = shown
