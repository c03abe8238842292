"""How things reach the screen: the one caller of `st.plotly_chart`, and the one place that shows errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from attention_core import AttentionError
from attention_viz.theme import Figure, dress

from .focus import follow_click
from .markdown import plain

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    "toImageButtonOptions": {"format": "svg"},
}


def theme_mode() -> str:
    """ "light" or "dark", as the visitor's browser shows the page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_figure(
    figure: Figure, key: str, names: tuple[str, str] | None = None, on_click: Callable[[Any], None] | None = None
) -> None:
    """Show a figure in the visitor's colours; with names for rows and columns, a click on a cell moves the focus.

    on_click: called with the customdata of a clicked point instead.
    """
    on_select: Callable[[], None] | str = "ignore"
    if on_click:
        on_select = partial(_report, key, on_click)
    elif names:
        on_select = partial(follow_click, key, names)
    st.plotly_chart(
        dress(figure, theme_mode(), 1.35 if st.session_state.get("present") else 1.0),
        key=key,
        theme=None,
        on_select=on_select,
        selection_mode="points",
        config=CONFIG,
        alt=figure["layout"]["meta"]["description"],
    )


def _report(key: str, on_click: Callable[[Any], None]) -> None:
    points = st.session_state[key].selection.points
    if points:
        on_click(points[0]["customdata"])


@contextmanager
def explained_errors() -> Iterator[None]:
    """Show the sentence of an `AttentionError` in the page; anything else is a bug and goes on to the log."""
    try:
        yield
    except AttentionError as error:
        st.error(plain(str(error)), icon=":material/error:")
