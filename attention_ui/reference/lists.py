"""The lists of the reference section, as files that anybody can add a line to."""

from __future__ import annotations

import csv
from pathlib import Path

ASSETS = Path(__file__).parent.parent.parent / "assets"


def rows_of(name: str) -> list[dict[str, str]]:
    """The lines of a list below `assets/`, each by the names in its first line."""
    with (ASSETS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
