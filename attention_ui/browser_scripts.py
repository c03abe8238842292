"""The scripts that every page gets with its first run; each says in its first line what it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .first_look import opening_script
from .registry import OLD_URLS, PAGES
from .server_routes import base_path

ASSETS = Path(__file__).parent.parent / "assets"
SCRIPTS = (
    "theme",
    "history",
    "menu",
    "drawer",
    "print",
    "dismiss",
    "link",
    "lesson",
    "class",
    "class_corner",
)


def first_scripts() -> str:
    """Follow the system's colours, mend history and menu, see to what is printed, close a false
    dialog.

    The first visitor of a fresh server who comes by the address of a page is told "Page not found",
    since Streamlit 1.67 takes the folder pages/ for its older kind of app until st.navigation has
    run once in the process.
    """
    pages = [*(page.url_path for page in PAGES), *OLD_URLS]
    known = {"KNOWN_PAGES": pages, "CLASS_BASE": base_path()}
    return opening_script() + "".join(script(name, **known) for name in SCRIPTS)


def script(file: str, **known: Any) -> str:
    """A script of assets/ with the values that it names."""
    script = (ASSETS / f"{file}.js").read_text(encoding="utf-8")
    for name, value in known.items():
        script = script.replace(name, json.dumps(value).replace("<", "\\u003c"))
    return script
