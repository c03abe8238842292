"""What callbacks of the user's own numbers find when they run outside a page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from attention_ui import board, own_numbers


def session(monkeypatch: pytest.MonkeyPatch, **more: Any) -> dict[str, Any]:
    """The session."""
    state: dict[str, Any] = {"edits": "", "own": ""} | more
    for module in (own_numbers, board):
        monkeypatch.setattr(module.st, "session_state", state)
    return state


def file(name: str, data: bytes) -> Any:
    """An uploaded file."""
    return SimpleNamespace(name=name, type="", getvalue=lambda: data)
