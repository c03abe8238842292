"""The matrix board on a page: the one place that mounts the component, and what its clicks do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from attention_viz.payload import JSON
from attention_viz.scene import dressed

from .components import component, sent
from .focus import follow_cell
from .own_numbers import edit_cell
from .show import theme_mode, zoom

OnPin = Callable[[str, list[int]], None]


def show_board(
    scene: JSON, name: str, on_open: Callable[[str], None] | None = None, on_pin: OnPin | None = None
) -> None:
    """Show a scene in the visitor's colours; a pinned cell moves the focus, a link calls on_open.

    on_pin: called with the array and the index of a pinned cell instead. A pinned cell is the one that the board
    explains, until the scene's own cell moves on.
    """
    key = f"board {name}"
    scene = scene | {"cell": _explained(key, scene)}
    axes = {
        name: [(letter, scene["axes"][letter]["block"]) for letter in array["axes"]]
        for name, array in scene["arrays"].items()
    }
    component("board")(
        key=key,
        data=dressed(scene, theme_mode(), zoom()),
        on_pin_change=partial(_pinned, key, axes, on_pin),
        on_open_change=partial(_opened, key, on_open),
        on_edit_change=partial(_edited, key),
    )


def _pinned(key: str, axes: dict[str, list[tuple[str, int | None]]], on_pin: OnPin | None = None) -> None:
    """Move the focus to the pinned cell, or tell on_pin of it; what a browser of ours would not send is passed over."""
    pin = sent(key, "pin")
    if not isinstance(pin, dict):
        return
    letters, index = axes.get(str(pin.get("array"))), pin.get("index")
    if not letters or not isinstance(index, list) or len(index) != len(letters):
        return
    if not all(type(number) is int and number >= 0 for number in index):
        return
    st.session_state[f"{key} pinned"] = {"cell": {"array": str(pin["array"]), "index": index}}
    if on_pin:
        on_pin(str(pin["array"]), index)
    else:
        follow_cell(letters, index)


def _explained(key: str, scene: JSON) -> JSON | None:
    """The cell pinned last, while the scene has it and its own cell is still that of the run after the pin."""
    own, pinned = scene.get("cell"), st.session_state.get(f"{key} pinned", {})
    if pinned and sent(key, "pin"):
        pinned["own"] = own
    if "own" in pinned and pinned["own"] == own and _has(scene, **pinned["cell"]):
        return dict(pinned["cell"])
    st.session_state.pop(f"{key} pinned", None)
    return own


def _has(scene: JSON, array: str, index: list[int]) -> bool:
    """Whether a cell lies in what is sent of its array."""
    given = scene["arrays"].get(array)
    if not given or len(index) != len(given["shape"]):
        return False
    first = given.get("start", [0] * len(index))
    return all(start <= place < start + size for place, start, size in zip(index, first, given["shape"], strict=True))


def _edited(key: str) -> None:
    """Put the typed number in the place of the old one; what a browser of ours would not send is passed over."""
    match sent(key, "edit"):
        case {"array": str(array), "index": [*_, int(row), int(column)], "value": int(value) | float(value)}:
            edit_cell(array, row, column, value)


def _opened(key: str, on_open: Callable[[str], None] | None) -> None:
    link = sent(key, "open")
    if link and on_open:
        on_open(link)
