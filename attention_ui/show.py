"""Showing charts with their tables, and errors; the visitor's colours and size of type."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from mimetypes import guess_type
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import AttentionError
from attention_viz.figure_table import figure_table, table_csv
from attention_viz.markdown import escape_markdown
from attention_viz.theme import Figure, figure_json

from .browser_files import PLOTLY_URL, component, component_value
from .url_state import session


def theme_mode() -> str:
    """ "light" or "dark", as the visitor's browser shows the page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def zoom() -> float:
    """How much larger than usual the type is: larger in lecture mode."""
    return 1.35 if st.session_state.get("present") else 1.0


def show_figure(figure: Figure, key: str, on_click: Callable[[Any], None] | None = None) -> None:
    """Show a figure in the visitor's colours. on_click: called with the customdata of a clicked
    point.
    """
    component("chart")(
        key=key,
        data={
            "figure": figure_json(figure, theme_mode(), zoom()),
            "clickable": bool(on_click),
            "library": PLOTLY_URL,
            "name": _file_name(key),
        },
        on_click_change=partial(_clicked, key, on_click),
    )
    _as_table(figure, key)


def _as_table(figure: Figure, key: str) -> None:
    """Offer the numbers of a chart as a table and as a file; both are made when they are opened."""
    look: dict[str, Any] = {"type": "tertiary", "icon": ":material/table:", "wrap": False}
    box = st.popover("As a table", key=f"table of {key}", on_change="rerun", **look)
    if box.open:
        description = figure["layout"]["meta"]["description"]
        with box:
            table = figure_table(figure)
            st.dataframe(table, hide_index=True, alt=f"As a table: {description}")
            name = f"{_file_name(key)}.csv"
            offer_file("CSV", partial(table_csv, table), name, key=f"csv of {key}")


def offer_file(
    label: str,
    make: Callable[[], str | bytes],
    name: str,
    *,
    icon: str | None = None,
    help: str | None = None,
    key: str | None = None,
) -> None:
    """A button that makes a file when it is pressed; its name says its type."""
    icon = icon and f":material/{icon}:"
    kind = guess_type(name)[0]
    st.download_button(label, make, name, kind, key=key, on_click="ignore", icon=icon, help=help)


def _file_name(key: str) -> str:
    """What a file of a chart is called: the page and the figure."""
    return f"{session().page.url_path}-{key.replace(' ', '-')}"


def _clicked(key: str, on_click: Callable[[Any], None] | None) -> None:
    """Call on_click with the clicked point. Values that our chart never sends are ignored."""
    match component_value(key, "click"):
        case {"name": name} if on_click and name is not None:
            on_click(name)


@contextmanager
def keeping_error(key: str) -> Iterator[None]:
    """In a callback: keep the sentence of an `AttentionError` in the session, under a key."""
    try:
        yield
    except AttentionError as error:
        st.session_state[key] = str(error)


@contextmanager
def explained_errors(place: DeltaGenerator | None = None) -> Iterator[None]:
    """Show the sentence of an `AttentionError` on the page. Any other exception is a bug and goes
    to the log.

    place: the container of the sentence; None for where the page is.
    """
    try:
        yield
    except AttentionError as error:
        with place or nullcontext():
            st.error(escape_markdown(str(error)), icon=":material/error:")
