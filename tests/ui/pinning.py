"""Pinning a cell of a board without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_ui import board
from tests.ui.app import scenes


def pin(
    app: AppTest, patching: pytest.MonkeyPatch, name: str, on_pin: Any, array: str, *index: int
) -> None:
    """Pin a cell of a board, as the browser does, and run the page again."""
    scene = next(scene for scene in scenes(app) if array in scene["arrays"])
    axes = {key: [(letter, None) for letter in one["axes"]] for key, one in scene["arrays"].items()}
    state = {
        key: app.session_state[key]
        for key in ("painted", "mw_masks", "session")
        if key in app.session_state
    }
    with patching.context() as patch:
        patch.setattr(
            board.st,
            "session_state",
            state | {name: {"pin": {"array": array, "index": list(index)}}},
        )
        board._pinned(name, axes, on_pin)
        state = {**board.st.session_state}
    del state[name]
    for key, value in state.items():
        app.session_state[key] = value
    app.run()
