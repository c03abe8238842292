"""The app's own components in the browser: where their files are, and how a page gets one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

APP = "attention-lab"
# name, which is its folder below assets/ -> its style sheet
STYLES = {"board": "board.css", "chart": "chart.css", "classroom": "classroom.css"}
# Streamlit's own file with plotly.js: the browser keeps it, and it is there on the first start
# without a network.
PLOTLY = next((Path(st.__file__).parent / "static" / "static" / "js").glob("PlotlyChart.*.js")).name


def component(name: str) -> Any:
    """What a page calls to mount a component. Its files are served as they are, so a rerun sends
    only the data.

    Streamlit finds such folders in installed packages; this app is run from its folder, so it says
    where they are.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(f"{APP}.{name}") is None:
        folders = [ComponentConfig(one, f"assets/{one}") for one in STYLES]
        manager.register_from_manifest(
            ComponentManifest(APP, "1", folders), Path(__file__).parent.parent
        )
    return _mounted(name, id(manager))


def sent(key: str, name: str) -> Any:
    """In a callback: what the component of a key sends under a name.

    None, too, where the last run did not draw it: a second click can come after the first has
    opened another page.
    """
    return (st.session_state.get(key) or {}).get(name)


@lru_cache(maxsize=len(STYLES))
def _mounted(name: str, manager: int) -> Any:
    isolated = name != "chart"  # plotly.js writes its styles into the page
    return st.components.v2.component(
        f"{APP}.{name}", js="component.js", css=STYLES[name], isolate_styles=isolated
    )
