"""The scripts that every page gets with its first run; each says in its first line what it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .first_look import opening_script
from .server_routes import base_path

ASSETS = Path(__file__).parent.parent / "assets"
FIRST_SCRIPTS = (
    "theme",
    "history",
    "menu",
    "drawer",
    "print",
    "link",
    "lesson",
    "class",
    "class_corner",
)


def first_scripts() -> str:
    """All of them, in this order."""
    return opening_script() + "".join(
        read_script(name, CLASS_BASE=base_path()) for name in FIRST_SCRIPTS
    )


def read_script(file: str, **known: Any) -> str:
    """A script of assets/ with the values that it names."""
    script = (ASSETS / f"{file}.js").read_text(encoding="utf-8")
    for name, value in known.items():
        script = script.replace(name, json.dumps(value).replace("<", "\\u003c"))
    return script
