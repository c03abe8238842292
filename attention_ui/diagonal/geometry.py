"""The tokens of the geometry page: points of the plane in the address, moved by sliders, a
table, or an example.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import streamlit as st

from attention_core import AttentionError, SettingsError
from attention_core.checks import Array
from attention_lab.diagonal.presets import DIAGONAL_PRESETS
from attention_lab.diagonal.token_matrices import format_tokens, parse_tokens
from attention_viz.diagonal.geometry import points_table, points_typed

from ..markdown import plain
from ..url_state import restore, restore_place, write_to_url

DEFAULT = "2,1; 1,3; 3.5,2.5; -2,2; -1,-2; 1.5,-1.5"
MAX_COORDINATE, MAX_POINTS = 25.0, 12
TOKEN, CHOSEN = "plane_token", "Chosen token"
TWO_WIDE = ("nearly_all", "equal_norms", "duplicates", "inside")


def points() -> Array:
    """The points that are shown now. Shapes: (T, 2)."""
    restore("plane", "Points", DEFAULT, _read)
    write_to_url("plane", DEFAULT)
    return parse_tokens(st.session_state["plane"])


def examples() -> None:
    """A button for each example that lies in the plane, and one for the first points."""
    with st.container(horizontal=True, gap="small"):
        about: dict[str, Any] = {
            "type": "tertiary",
            "icon": ":material/science:",
            "on_click": _set,
        }
        st.button("Six points", key="plane first", args=(DEFAULT,), **about)
        for preset in DIAGONAL_PRESETS:
            if preset.name in TWO_WIDE:
                numbers = preset.settings.numbers
                st.button(
                    preset.title,
                    key=f"plane {preset.name}",
                    help=preset.says,
                    args=(numbers,),
                    **about,
                )


def sliders(x_T2: Array, token: int) -> None:
    """Two sliders that move one token; a slider reports when it is let go."""
    reach = min(MAX_COORDINATE, ceil(abs(x_T2).max()) + 2.0)
    for axis, (name, place) in enumerate(zip("xy", st.columns(2), strict=True)):
        key = f"plane_{name}"
        st.session_state[key] = round(float(x_T2[token, axis]), 1)
        place.slider(
            f"Its {name}",
            -reach,
            reach,
            step=0.1,
            key=key,
            on_change=_move,
            args=(token, axis, key),
        )


def table(x_T2: Array) -> None:
    """All points as a table that can be typed into; rows can be added and removed."""
    key = f"plane table {st.session_state['plane']}"
    typed = st.data_editor(
        points_table(x_T2), key=key, num_rows="dynamic", alt="The tokens as points of the plane."
    )
    text = format_tokens(points_typed(typed))
    if text == format_tokens(x_T2):
        return
    try:
        _set(_read(text))
    except AttentionError as error:
        st.warning(plain(str(error)))
    else:
        st.rerun()


def choose_token(n_tokens: int) -> int:
    """Draw the choice of the token that is looked at; its place is in the address."""
    restore_place(TOKEN, CHOSEN, 0, n_tokens)
    st.select_slider(
        CHOSEN,
        range(n_tokens),
        st.session_state[TOKEN],
        key=TOKEN,
        persist_state="session",
        help="The half-plane is that of this token’s query.",
    )
    write_to_url(TOKEN, 0)
    return int(st.session_state[TOKEN])


def pin(array: str, index: Sequence[int]) -> None:
    """Choose the token whose row was clicked; for callbacks of boards."""
    st.session_state[TOKEN] = index[0]


def _set(text: str) -> None:
    st.session_state["plane"] = text


def _move(token: int, axis: int, key: str) -> None:
    x_T2 = parse_tokens(st.session_state["plane"])
    if token < len(x_T2):
        x_T2[token, axis] = st.session_state[key]
        _set(format_tokens(x_T2))


def _read(given: str) -> str:
    """Points as they are kept. Raises: SettingsError for what is no small number of points of
    the plane.
    """
    x_T2 = parse_tokens(given)
    if x_T2.shape[1] != 2 or len(x_T2) > MAX_POINTS or abs(x_T2).max() > MAX_COORDINATE:
        numbers = f"from −{MAX_COORDINATE:g} to {MAX_COORDINATE:g}"
        raise SettingsError(
            f"The plane takes up to {MAX_POINTS} points such as 2,1; 1,3 with numbers {numbers}"
        )
    return format_tokens(x_T2)
