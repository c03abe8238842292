"""The bugs of `planted_bugs.toml`, which `plant_bugs.py` puts into a copy of the engine."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

LIST = Path(__file__).with_suffix(".toml")


class Bug(NamedTuple):
    """One mistake; edits are pairs of (text in the file, text instead)."""

    what: str
    file: str
    edits: tuple[tuple[str, str], ...]


def read_bugs() -> tuple[Bug, ...]:
    """All bugs, in the order of the list."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["bug"]
    return tuple(
        Bug(bug["what"], bug["file"], tuple((old, new) for old, new in bug["edits"]))
        for bug in listed
    )


BUGS = read_bugs()
