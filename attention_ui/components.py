"""The app's own components in the browser: where their files are, and how a page gets one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from .streamlit_private import register_components

COMPONENT_PREFIX = "attention-lab"
# name, which is its folder below assets/ -> its style sheet
STYLE_SHEETS = {"board": "board.css", "chart": "chart.css", "classroom": "classroom.css"}
ROOT = Path(__file__).parent.parent


def component(name: str) -> Any:
    """What a page calls to mount a component. Its files are served as they are, so a rerun sends
    only the data.
    """
    return _mounted(name, register_components(COMPONENT_PREFIX, STYLE_SHEETS, ROOT))


def component_value(key: str, name: str) -> Any:
    """In a callback: what the component of a key sends under a name.

    None, too, where the last run did not draw it: a second click can come after the first has
    opened another page.
    """
    return (st.session_state.get(key) or {}).get(name)


@lru_cache(maxsize=len(STYLE_SHEETS))
def _mounted(name: str, server: int) -> Any:
    isolated = name != "chart"  # plotly.js writes its styles into the page
    return st.components.v2.component(
        f"{COMPONENT_PREFIX}.{name}",
        js="component.js",
        css=STYLE_SHEETS[name],
        isolate_styles=isolated,
    )
