"""A chart as a table: one line for each number that a pointer can read in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any

import numpy as np
import pandas as pd

from .theme import Figure

NAME, VALUE, ERROR = "name", "value", "standard error"
HOVER_COLUMNS = {"%{customdata": "of", "%{text": "says"}  # what a pointer reads, and its column
Row = dict[str, Any]


def figure_table(figure: Figure) -> pd.DataFrame:
    """The numbers of a chart, of all that is named in it one below the other.

    Columns bear the titles of the axes. Decoration, which tells a pointer nothing, is left out; so
    are coordinates that only say where a mark lies.
    """
    lines = [
        line
        for trace in figure["data"]
        if trace.get("hoverinfo") != "skip"
        for line in _points(trace, figure["layout"])
    ]
    table = pd.DataFrame(lines)
    first = [name for name in (NAME, *HOVER_COLUMNS.values()) if name in table]
    ordered = table[first + [name for name in table if name not in first]]
    return ordered.loc[:, [not _is_empty(ordered[name]) for name in ordered]]


def _is_empty(column: pd.Series) -> bool:
    return bool(column.isna().all() or (column == "").all())


def _points(trace: Row, layout: Row) -> Iterable[Row]:
    """A line for each point or bar of a trace that says something."""
    template = trace.get("hovertemplate")
    columns: dict[str, Sequence[Any]] = {}
    for letter in "xyz":
        title, ticks = _axis(trace, layout, letter)
        if letter in trace and _tells(trace, letter, title):
            columns[title] = [ticks.get(place, place) for place in _plain(trace[letter])]
    if template is not None and "error_y" in trace:
        columns[ERROR] = _plain(trace["error_y"]["array"])
    for part, title in HOVER_COLUMNS.items():
        if template is not None and part in template and part[2:] in trace:
            columns[title] = [_words(one) for one in trace[part[2:]]]
    for values in zip(*columns.values(), strict=True):
        if values[0] is not None and not all(one != one for one in values):
            yield {NAME: _words(trace.get("name", ""))} | dict(zip(columns, values, strict=True))


def _tells(trace: Row, letter: str, title: str) -> bool:
    """Whether a coordinate is a number of its own, and not only where a mark lies."""
    template = trace.get("hovertemplate")
    if template is None or f"%{{{letter}" in template:
        return True
    if trace["type"] == "bar":
        return "base" not in trace
    return title != letter and not any(part in template for part in HOVER_COLUMNS)


def _axis(trace: Row, layout: Row, letter: str) -> tuple[str, dict[Any, str]]:
    """The title of a trace's axis, and the words of its places where they are more than numbers."""
    axis = layout.get(_key(trace, letter), {})
    title = (axis.get("title") or {}).get("text") or letter
    ticks = dict(zip(_plain(axis.get("tickvals", ())), axis.get("ticktext", ()), strict=False))
    if all(re.fullmatch(r"[-−\d.,]*", str(word)) for word in ticks.values()):
        ticks = {}
    return _words(title), {place: _words(word) for place, word in ticks.items()}


def _key(trace: Row, letter: str) -> str:
    """What the layout calls a trace's axis: x2 is its xaxis2."""
    return f"{letter}axis{trace.get(f'{letter}axis', letter)[1:]}"


def _plain(values: Any) -> list[Any]:
    """Numbers or words as Python has them."""
    return list(np.asarray(values).tolist()) if isinstance(values, np.ndarray) else list(values)


def _words(text: Any) -> str:
    """What is written in a chart, without its markup."""
    if isinstance(text, (list, tuple)):
        return " · ".join(map(_words, text))
    return unescape(re.sub(r"</?[bi]>", "", re.sub(r"<br ?/?>", ", ", str(text))))
