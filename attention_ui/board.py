"""The matrix board on a page: the one place that mounts the component, and what its clicks do."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from attention_viz.payload import JSON
from attention_viz.scene import dressed

from .focus import follow_cell
from .own_numbers import edit_cell
from .show import theme_mode

ROOT = Path(__file__).parent.parent
NAME = "attention-lab"


OnPin = Callable[[str, list[int]], None]


def show_board(
    scene: JSON, name: str, on_open: Callable[[str], None] | None = None, on_pin: OnPin | None = None
) -> None:
    """Show a scene in the visitor's colours; a pinned cell moves the focus, a link calls on_open.

    on_pin: called with the array and the index of a pinned cell instead.
    """
    key = f"board {name}"
    zoom = 1.35 if st.session_state.get("present") else 1.0
    axes = {
        name: [(letter, scene["axes"][letter]["block"]) for letter in array["axes"]]
        for name, array in scene["arrays"].items()
    }
    component()(
        key=key,
        data=dressed(scene, theme_mode(), zoom),
        on_pin_change=partial(_pinned, key, axes, on_pin),
        on_open_change=partial(_opened, key, on_open),
        on_edit_change=partial(_edited, key),
    )


def component() -> Any:
    """The board's component. Its files are served from assets/board, so that a rerun sends only the numbers.

    Streamlit finds such folders in installed packages; this app is run from its folder, so it says where it is.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(f"{NAME}.board") is None:
        manifest = ComponentManifest(NAME, "1", [ComponentConfig("board", "assets/board")])
        manager.register_from_manifest(manifest, ROOT)
    return _mounted(id(manager))


@lru_cache(maxsize=1)
def _mounted(manager: int) -> Any:
    return st.components.v2.component(f"{NAME}.board", js="component.js", css="board.css")


def _pinned(key: str, axes: dict[str, list[tuple[str, int | None]]], on_pin: OnPin | None = None) -> None:
    """Move the focus to the pinned cell, or tell on_pin of it; what a browser of ours would not send is passed over."""
    pin = st.session_state[key].get("pin")
    if not isinstance(pin, dict):
        return
    letters, index = axes.get(str(pin.get("array"))), pin.get("index")
    if not letters or not isinstance(index, list) or len(index) != len(letters):
        return
    if not all(type(number) is int and number >= 0 for number in index):
        return
    if on_pin:
        on_pin(str(pin["array"]), index)
    else:
        follow_cell(letters, index)


def _edited(key: str) -> None:
    """Put the typed number in the place of the old one; what a browser of ours would not send is passed over."""
    match st.session_state[key].get("edit"):
        case {"array": str(array), "index": [*_, int(row), int(column)], "value": int(value) | float(value)}:
            edit_cell(array, row, column, value)


def _opened(key: str, on_open: Callable[[str], None] | None) -> None:
    link = st.session_state[key].get("open")
    if link and on_open:
        on_open(link)
