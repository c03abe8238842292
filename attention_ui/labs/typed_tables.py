"""Tables for a kernel and a picture that the visitor types; the URL holds them as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attention_core import AttentionError, SettingsError
from attention_core.checks import Array
from attention_lab.labs.images import as_kernel

from ..markdown import escape_markdown
from ..url_state import restore, write_to_url

FIRST_KERNEL = "0 1 0, 1 -4 1, 0 1 0"
FIRST_DRAWING = "00099000-00900900-00900900-09000090-09999990-09000090-09000090-00000000"
MAX_KERNEL_CHARACTERS = 300  # nine numbers of up to 24 characters, with spaces and commas


def edit_kernel() -> Array:
    """A table of 3 × 3 numbers; what is typed goes to the URL."""
    restore("conv_own", "Own kernel", FIRST_KERNEL, _read_kernel)
    write_to_url("conv_own", FIRST_KERNEL)
    text = st.session_state["conv_own"]
    key, begun = _table("kernel", text)
    rows = [row.split() for row in begun.split(",")]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("←", "·", "→"))}
    st.caption("Own kernel: type numbers.")
    st.data_editor(
        columns,
        key=key,
        on_change=_kernel_changed,
        args=(key, _kernel_at(begun)),
        hide_index=True,
        width=300,
        alt="Own kernel",
    )
    if refused := st.session_state.pop("conv refused", ""):
        st.error(escape_markdown(refused))
    return _kernel_at(text)


def _kernel_changed(key: str, numbers: Array) -> None:
    """Read the typed numbers. Text that is not a number gives an error message, and the table
    shows the old numbers again.
    """
    rows: list[list[object]] = numbers.tolist()
    changed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    for row, cells in changed.items():
        for column, value in cells.items():
            rows[int(row)]["←·→".index(column)] = (
                None if value is None else str(value).replace(",", ".")
            )
    st.session_state[f"{key} shows"] = ""
    try:
        st.session_state["conv_own"] = text = _kernel_text(as_kernel(rows)[..., 0, 0])
    except AttentionError as error:
        st.session_state["conv refused"] = str(error)
        return
    kept = [part.split() for part in text.split(",")]
    if all(
        kept[int(row)]["←·→".index(column)] == value
        for row, cells in changed.items()
        for column, value in cells.items()
    ):
        st.session_state[f"{key} shows"] = text


def edit_picture() -> list[list[float]]:
    """A table of 8 × 8 whole numbers from 0 (black) to 9 (white)."""
    restore("conv_drawn", "Own picture", FIRST_DRAWING, lambda text: _drawing_at(text) and text)
    write_to_url("conv_drawn", FIRST_DRAWING)
    text = st.session_state["conv_drawn"]
    key, begun = _table("drawing", text)
    numbers = _drawing_at(begun)
    config = {
        str(column): st.column_config.NumberColumn(min_value=0, max_value=9, step=1, width=38)
        for column in range(8)
    }
    st.caption("Own picture: 0 is black, 9 is white.")
    st.data_editor(
        {str(column): [row[column] for row in numbers] for column in range(8)},
        key=key,
        on_change=_drawing_changed,
        args=(key, numbers),
        hide_index=True,
        column_config=config,
        height=318,
        width=360,
        alt="Own picture",
    )
    return [[digit / 9 for digit in row] for row in _drawing_at(text)]


def _drawing_changed(key: str, numbers: list[list[int]]) -> None:
    drawn = [list(row) for row in numbers]
    changed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    for row, cells in changed.items():
        for column, value in cells.items():
            drawn[int(row)][int(column)] = 0 if value is None else int(min(9, max(0, value)))
    st.session_state["conv_drawn"] = text = "-".join("".join(map(str, row)) for row in drawn)
    as_typed = all(
        drawn[int(row)][int(column)] == cells[column]
        for row, cells in changed.items()
        for column in cells
    )
    st.session_state[f"{key} shows"] = text if as_typed else ""


def _table(name: str, text: str) -> tuple[str, str]:
    """The key of a table and the text with which it was created. A new table is created only if
    the old one does not show `text`.

    A new table loses the focus of the keyboard and what is typed while it appears.
    """
    number, begun = st.session_state.get(f"conv {name}", (0, text))
    key = f"conv {name} {number}"
    if key not in st.session_state or st.session_state.pop(f"{key} shows", begun) != text:
        number, begun = number + 1, text
    st.session_state[f"conv {name}"] = number, begun
    key = f"conv {name} {number}"
    st.session_state[f"{key} shows"] = text
    return key, begun


def _kernel_at(text: str) -> Array:
    numbers: Array = as_kernel([row.split() for row in text.split(",")])[..., 0, 0]
    return numbers


def _kernel_text(numbers: Array) -> str:
    """The shortest text that reads back as the same numbers."""
    return ", ".join(
        " ".join(repr(number).removesuffix(".0") for number in row) for row in numbers.tolist()
    )


def _read_kernel(given: str) -> str:
    if len(given) > MAX_KERNEL_CHARACTERS:
        raise SettingsError(
            f"A kernel in the URL may have {MAX_KERNEL_CHARACTERS} characters: the kernel shown"
            " stays"
        )
    return _kernel_text(_kernel_at(given))


def _drawing_at(text: str) -> list[list[int]]:
    rows = text.split("-")
    if len(rows) != 8 or not all(len(row) == 8 and row.isascii() and row.isdigit() for row in rows):
        raise SettingsError(
            "A picture in the URL must be eight rows of eight digits: the picture shown stays"
        )
    return [[int(digit) for digit in row] for row in rows]
