"""A file of rooms of its own for each test, with a clock that is set by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from attention_lab.classroom.rooms import Rooms
from tests.lab.classroom.rooms_made import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rooms(tmp_path: Path, clock: Clock) -> Rooms:
    return Rooms(tmp_path / "data" / "classes.sqlite3", clock)
