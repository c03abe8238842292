"""A chart as a table: one row for each number that the pointer can read in the chart."""

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any

import numpy as np
import pandas as pd

from attention_lab.export.csv_text import csv_text

from .theme import Figure

NAME, ERROR = "name", "standard error"
HOVER_COLUMNS = {"%{customdata": "of", "%{text": "says"}  # parts of hover texts, their columns
Row = dict[str, Any]


def figure_table(figure: Figure) -> pd.DataFrame:
    """The numbers of a chart, all its lines and bars one below the other.

    The columns have the titles of the axes. Decoration without a hover text is left out; so are
    coordinates that only place a mark.
    """
    rows = [
        row
        for trace in figure["data"]
        if trace.get("hoverinfo") != "skip"
        for row in _rows(trace, figure["layout"])
    ]
    table = pd.DataFrame(rows)
    first = [name for name in (NAME, *HOVER_COLUMNS.values()) if name in table]
    ordered = table[first + [name for name in table if name not in first]]
    return ordered.loc[:, [not _is_empty(ordered[name]) for name in ordered]]


def table_csv(table: pd.DataFrame) -> str:
    """Such a table as a CSV file; what a row does not have is empty."""
    cells = table.astype(object).where(table.notna(), "")
    return csv_text([table.columns, *cells.itertuples(index=False)])


def _is_empty(column: pd.Series) -> bool:
    return bool(column.isna().all() or (column == "").all())


def _rows(trace: Row, layout: Row) -> Iterable[Row]:
    """A row for each point or bar of a trace that has a value."""
    template = trace.get("hovertemplate")
    columns: dict[str, Sequence[Any]] = {}
    for letter in "xyz":
        title, ticks = _axis(trace, layout, letter)
        if letter in trace and _is_value(trace, letter, title):
            columns[title] = [ticks.get(place, place) for place in _plain(trace[letter])]
    if template is not None and "error_y" in trace:
        columns[ERROR] = _plain(trace["error_y"]["array"])
    for part, title in HOVER_COLUMNS.items():
        if template is not None and part in template and part[2:] in trace:
            columns[title] = [_words(one) for one in trace[part[2:]]]
    for values in zip(*columns.values(), strict=True):
        if values[0] is not None and not all(one != one for one in values):
            yield {NAME: _words(trace.get("name", ""))} | dict(zip(columns, values, strict=True))


def _is_value(trace: Row, letter: str, title: str) -> bool:
    """Whether a coordinate is a value, and not only the place of a mark."""
    template = trace.get("hovertemplate")
    if template is None or f"%{{{letter}" in template:
        return True
    if trace["type"] == "bar":
        return "base" not in trace
    return title != letter and not any(part in template for part in HOVER_COLUMNS)


def _axis(trace: Row, layout: Row, letter: str) -> tuple[str, dict[Any, str]]:
    """The title of a trace's axis, and its tick labels if they are more than numbers."""
    axis = layout.get(_key(trace, letter), {})
    title = (axis.get("title") or {}).get("text") or letter
    ticks = dict(zip(_plain(axis.get("tickvals", ())), axis.get("ticktext", ()), strict=False))
    if all(re.fullmatch(r"[-−\d.,]*", str(word)) for word in ticks.values()):
        ticks = {}
    return _words(title), {place: _words(word) for place, word in ticks.items()}


def _key(trace: Row, letter: str) -> str:
    """The name of a trace's axis in the layout: xaxis2 for x2."""
    return f"{letter}axis{trace.get(f'{letter}axis', letter)[1:]}"


def _plain(values: Any) -> list[Any]:
    """Values as a list of Python's own numbers or words."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    return list(values)


def _words(text: Any) -> str:
    """A text of a chart without its markup."""
    if isinstance(text, (list, tuple)):
        return " · ".join(map(_words, text))
    return unescape(re.sub(r"</?[bi]>", "", re.sub(r"<br ?/?>", ", ", str(text))))
