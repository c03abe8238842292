"""Rooms of their own for each test, in both stores, with a clock that is set by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from attention_lab.classroom.place import Place
from attention_lab.classroom.rooms import Rooms
from tests.lab.classroom.rooms_made import Clock

# Servers run on Linux; elsewhere a class has the file.
STORES = ("file", "database") if sys.platform == "linux" else ("file",)


collect_ignore = [] if "database" in STORES else ["test_class_database.py"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where no room has been opened yet."""
    if request.param == "database":
        return str(request.getfixturevalue("database"))
    return tmp_path / "data" / "classes.sqlite3"


@pytest.fixture
def rooms(place: Place, clock: Clock) -> Rooms:
    return Rooms(place, clock)
