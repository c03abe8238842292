"""A chart as a table: the numbers that a pointer can read, under the names that the chart has."""

from __future__ import annotations

import numpy as np

from attention_viz.curves import error_bar_series, line_series
from attention_viz.figure_table import ERROR, NAME, figure_table

LAYOUT = {"xaxis": {"title": {"text": "step"}}, "yaxis": {"title": {"text": "loss"}}}


def test_curves_stand_below_one_another_with_the_titles_of_their_axes() -> None:
    data = [
        line_series([1, 2, 3], [0.5, None, 0.25], "<b>one</b>", "@text"),
        error_bar_series([4], [2.0], [0.125], "other", "@text"),
    ]
    table = figure_table({"data": data, "layout": LAYOUT})
    assert list(table) == [NAME, "step", "loss", ERROR]
    assert table[NAME].tolist() == ["one", "one", "one", "other"]
    assert table["loss"].dropna().tolist() == [0.5, 0.25, 2.0]
    assert table[ERROR].dropna().tolist() == [0.125]


def test_decoration_is_left_out() -> None:
    mark = line_series([1], [1], "mark", "@text", hoverinfo="skip")
    table = figure_table({"data": [mark, line_series([1], [7], "line", "@text")], "layout": LAYOUT})
    assert table.to_numpy().tolist() == [["line", 1.0, 7.0]]


def test_bars_have_the_words_of_their_places() -> None:
    bars = {"type": "bar", "name": "b", "x": [0, 1], "y": np.array([0.5, 2.0]), "xaxis": "x2"}
    ticks = {"tickvals": [0, 1], "ticktext": ["the &lt;cat&gt;", "sat"]}
    table = figure_table({"data": [bars], "layout": {"xaxis2": ticks}})
    assert table["x"].tolist() == ["the <cat>", "sat"]
    assert table["y"].tolist() == [0.5, 2.0]


def test_what_a_pointer_reads_as_words_is_told_without_markup() -> None:
    dots = {
        "type": "scatter",
        "name": "",
        "x": [0.1],
        "y": [3],
        "text": ["head 1<br><b>0.25</b>"],
        "customdata": [["entropy", 1]],
        "hovertemplate": "%{text}<extra>%{customdata[0]}</extra>",
    }
    table = figure_table({"data": [dots], "layout": {}})
    assert table.to_dict("records") == [{"of": "entropy · 1", "says": "head 1, 0.25"}]
