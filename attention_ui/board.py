"""The matrix board on a page: it mounts the component, and does what clicks and choices ask for."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from attention_core import SettingsError
from attention_lab.url_values import parse_place
from attention_viz.payload import JSON
from attention_viz.scene import coloured_scene, has_cell
from attention_viz.scene_formats import scene_to_bytes

from .acts import act
from .browser_files import component, component_value
from .focus import move_focus
from .own_numbers import edit_cell
from .show import theme_mode, zoom
from .url_state import note_act, requested, restore, session, write_to_url

PIN_PARAMETER = "pin"
OnPin = Callable[[str, list[int]], None]


def show_board(
    scene: JSON,
    name: str,
    on_open: Callable[[str], None] | None = None,
    on_pin: OnPin | None = None,
    fits: bool = False,
) -> None:
    """Show a scene in the visitor's colours. A pinned cell moves the focus, a link calls on_open.

    on_pin: called with the array and the index of a pinned cell in the place of moving the focus.
    fits: whether the board is laid out for the height that is left in the window, as a stage is.

    The board explains the cell that was pinned last, until the scene's own cell changes.
    """
    key = f"board {name}"
    scene = scene | {"cell": _explained_cell(name, scene)}
    if fits:
        scene["fits"] = True
    callbacks = {"on_edit_change": partial(_edited, key)}
    if "stage" in scene:
        callbacks["on_choose_change"] = partial(_chosen, key)
    axes = {
        name: [(letter, scene["axes"][letter]["block"]) for letter in array["axes"]]
        for name, array in scene["arrays"].items()
    }
    component("board")(
        key=key,
        data=scene_to_bytes(coloured_scene(scene, theme_mode(), zoom())),
        on_pin_change=partial(_pinned, key, axes, on_pin),
        on_open_change=partial(_opened, key, on_open),
        **callbacks,
    )


def keep_board(name: str) -> None:
    """Let a board stay as the browser shows it, greyed and out of reach: its last scene is not the
    one of the present choices.
    """
    component("board")(key=f"board {name}", data={"rests": True})


def _pinned(
    key: str, axes: dict[str, list[tuple[str, int | None]]], on_pin: OnPin | None = None
) -> None:
    """Move the focus to the pinned cell, or call on_pin. Values that our board never sends are
    ignored.
    """
    note_act()
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


def _explained_cell(name: str, scene: JSON) -> JSON | None:
    """The cell that was pinned last, if the scene has it and the scene's own cell is still the same
    as after the pin; else the scene's own cell.

    The URL holds the cell unless it is the scene's own, which head, query, key and feature give.
    """
    own, asked = scene.get("cell"), requested(PIN_PARAMETER)
    if not (asked or st.session_state.get(PIN_PARAMETER, "")).startswith(f"{name}."):
        return own
    restore(PIN_PARAMETER, "Pinned cell", "", partial(_checked, scene))
    cell, new = (
        _cell_at(st.session_state[PIN_PARAMETER]),
        asked is not None or component_value(f"board {name}", "pin"),
    )
    if cell == own or not has_cell(scene, cell) or not (new or session().pinned_beside == own):
        cell, st.session_state[PIN_PARAMETER] = own, ""
    session().pinned_beside = own
    write_to_url(PIN_PARAMETER, "")
    return cell


def _checked(scene: JSON, text: str) -> str:
    if has_cell(scene, _cell_at(text)):
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


def _edited(key: str) -> None:
    """Replace a number by the typed one. Values that our board never sends are ignored."""
    match component_value(key, "edit"):
        case {
            "array": str(array),
            "index": [*_, int(row), int(column)],
            "value": int(value) | float(value),
        }:
            edit_cell(array, row, column, value)


def _chosen(key: str) -> None:
    """Apply a choice made on a stage. Values that our stage never sends are ignored."""
    match component_value(key, "choose"):
        case {"name": str(name), "value": str() | int() as value}:
            act(name, value)


def _opened(key: str, on_open: Callable[[str], None] | None) -> None:
    link = component_value(key, "open")
    if link and on_open:
        on_open(link)
