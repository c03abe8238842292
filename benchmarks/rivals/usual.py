"""The usual way to show heads: the app's own pages, with one Plotly heatmap per head where a board
stands.

`python -m benchmarks.rivals.usual run app.py` is `streamlit run app.py` with such pages.
"""

import sys
from unittest import mock

import plotly.express as px
import streamlit as st
from streamlit.web import cli

from attention_ui.page_context import page_context


def heatmaps(*_: object, **__: object) -> None:
    """The scores of every head, each as a chart with its numbers in the cells, two in a row."""
    trace = page_context().trace
    queries, keys = (
        [f"{place} {label}" for place, label in enumerate(trace.labels(axis))] for axis in "TS"
    )
    columns = st.columns(2)
    for head, scores_TS in enumerate(trace.scores[0]):
        figure = px.imshow(
            scores_TS, x=keys, y=queries, text_auto=".2f", title=f"head {head}", aspect="auto"
        )
        columns[head % 2].plotly_chart(figure, key=f"head {head}")


def in_place_of_boards() -> mock._patch[object]:
    """While it is active, pages show these heatmaps."""
    return mock.patch("attention_ui.board.show_board", heatmaps)


if __name__ == "__main__":
    with in_place_of_boards():
        cli.main(sys.argv[1:])
