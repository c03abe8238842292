"""The matrix board on a page: the one place that mounts the component, and what its clicks do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from attention_core import SettingsError
from attention_viz.payload import JSON
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_bytes

from .components import component, component_value
from .focus import move_focus
from .own_numbers import edit_cell
from .show import theme_mode, zoom
from .stage_choices import apply_stage_choice
from .url_state import parse_place, requested, restore, session, write_to_url

PIN_PARAMETER = "pin"
OnPin = Callable[[str, list[int]], None]


def show_board(
    scene: JSON,
    name: str,
    on_open: Callable[[str], None] | None = None,
    on_pin: OnPin | None = None,
    fits: bool = False,
) -> None:
    """Show a scene in the visitor's colours; a pinned cell moves the focus, a link calls on_open.

    fits: whether it is laid out for the height that the window leaves it, as a stage is.

    on_pin: called with the array and the index of a pinned cell instead. A pinned cell is the one
    that the board explains, until the scene's own cell moves on.
    """
    key = f"board {name}"
    scene = scene | {"cell": _explained(name, scene)} | ({"fits": True} if fits else {})
    axes = {
        name: [(letter, scene["axes"][letter]["block"]) for letter in array["axes"]]
        for name, array in scene["arrays"].items()
    }
    component("board")(
        key=key,
        data=scene_to_bytes(coloured_scene(scene, theme_mode(), zoom())),
        on_pin_change=partial(_pinned, key, axes, on_pin),
        on_open_change=partial(_opened, key, on_open),
        on_edit_change=partial(_edited, key),
        **({"on_choose_change": partial(_chosen, key)} if "stage" in scene else {}),
    )


def _pinned(
    key: str, axes: dict[str, list[tuple[str, int | None]]], on_pin: OnPin | None = None
) -> None:
    """Move the focus to the pinned cell, or tell on_pin of it; what a browser of ours would not
    send is passed over.
    """
    pin = component_value(key, "pin")
    if not isinstance(pin, dict):
        return
    letters, index = axes.get(str(pin.get("array"))), pin.get("index")
    if not letters or not isinstance(index, list) or len(index) != len(letters):
        return
    if not all(type(number) is int and number >= 0 for number in index):
        return
    st.session_state[PIN_PARAMETER] = (
        f"{key.removeprefix('board ')}.{pin['array']}.{'-'.join(map(str, index))}"
    )
    session().pinned_beside = "unknown"
    if on_pin:
        on_pin(str(pin["array"]), index)
    else:
        move_focus(letters, index)


def _explained(name: str, scene: JSON) -> JSON | None:
    """The cell pinned last, while the scene has it and its own cell is still that of the run after
    the pin.

    The address holds it where it is not the scene's own, which head, query, key and feature name.
    """
    own, asked = scene.get("cell"), requested(PIN_PARAMETER)
    if not (asked or st.session_state.get(PIN_PARAMETER, "")).startswith(f"{name}."):
        return own
    restore(PIN_PARAMETER, "Pinned cell", "", partial(_checked, scene))
    cell, new = (
        _cell_at(st.session_state[PIN_PARAMETER]),
        asked is not None or component_value(f"board {name}", "pin"),
    )
    if cell == own or not _has(scene, cell) or not (new or session().pinned_beside == own):
        cell, st.session_state[PIN_PARAMETER] = own, ""
    session().pinned_beside = own
    write_to_url(PIN_PARAMETER, "")
    return cell


def _checked(scene: JSON, text: str) -> str:
    if _has(scene, _cell_at(text)):
        return text
    raise SettingsError("The board has no such cell, so the one shown stays")


def _cell_at(text: str) -> JSON | None:
    """The cell that a text such as "scores.query_heads.0-0-2-1" names, or None. Raises:
    SettingsError.
    """
    match text.rsplit(".", 2):
        case [_, array, index]:
            return {"array": array, "index": [parse_place(part) for part in index.split("-")]}
    return None


def _has(scene: JSON, cell: JSON | None) -> bool:
    """Whether there is a cell, and it lies in what is sent of its array."""
    given, index = (scene["arrays"].get(cell["array"]), cell["index"]) if cell else (None, [])
    if not given or len(index) != len(given["shape"]):
        return False
    first = given.get("start", [0] * len(index))
    return all(
        start <= place < start + size
        for place, start, size in zip(index, first, given["shape"], strict=True)
    )


def _edited(key: str) -> None:
    """Put the typed number in the place of the old one; what a browser of ours would not send
    is passed over.
    """
    match component_value(key, "edit"):
        case {
            "array": str(array),
            "index": [*_, int(row), int(column)],
            "value": int(value) | float(value),
        }:
            edit_cell(array, row, column, value)


def _chosen(key: str) -> None:
    match component_value(key, "choose"):
        case {"name": name, "value": value}:
            apply_stage_choice(name, value)


def _opened(key: str, on_open: Callable[[str], None] | None) -> None:
    link = component_value(key, "open")
    if link and on_open:
        on_open(link)
