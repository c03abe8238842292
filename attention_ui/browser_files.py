"""The files that the browser gets from the server: components, scripts and plotly.js."""

import json
from functools import lru_cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from attention_lab.home import ASSETS
from attention_lab.page_list import book
from attention_viz.handout import joined_script

from .connections import MAX_MESSAGE_BYTES
from .streamlit_private import register_components

COMPONENT_PREFIX = "attention-lab"
# The components, each a folder below assets/, and their style sheets.
STYLE_SHEETS = {"board": "board.css", "chart": "chart.css", "classroom": "classroom.css"}
# The scripts of every page, in the order in which they run; each explains itself in its first line.
FIRST_SCRIPTS = (
    *("theme", "history", "book", "drawer", "print"),
    *("link", "message", "lesson", "class", "class_bar"),
)
PLOTLY = distribution("plotly")
PLOTLY_JS = Path(str(PLOTLY.locate_file("plotly/package_data/plotly.min.js")))
# Relative to the app's own URL. It names the version, so a browser may keep the file for good.
PLOTLY_URL = f"lab/plotly-{PLOTLY.version}.min.js"
ONE_YEAR_SECONDS = 365 * 24 * 60 * 60  # seconds


def component(name: str) -> Any:
    """The function that mounts a component on a page. Its files are served as they are, so a rerun
    sends only the data.
    """
    return _mounted(name, register_components(COMPONENT_PREFIX, STYLE_SHEETS, ASSETS.parent))


@lru_cache(maxsize=len(STYLE_SHEETS))
def _mounted(name: str, server: int) -> Any:
    isolated = name != "chart"  # plotly.js writes its styles into the page
    return st.components.v2.component(
        f"{COMPONENT_PREFIX}.{name}",
        js="component.js",
        css=STYLE_SHEETS[name],
        isolate_styles=isolated,
    )


def component_value(key: str, name: str) -> Any:
    """In a callback: the value that a component has sent under a name.

    None if the last run did not draw the component: a second click can arrive after the first one
    has opened another page.
    """
    return (st.session_state.get(key) or {}).get(name)


def first_scripts() -> str:
    """The scripts that a browser gets once, with its first run, in a scope of their own."""
    values = {"CLASS_BASE": base_path(), "BOOK": book(), "MAX_MESSAGE_BYTES": MAX_MESSAGE_BYTES}
    return f"(() => {{\n{read_script(*FIRST_SCRIPTS, **values)}\n}})();\n"


def read_script(*files: str, **values: Any) -> str:
    """Scripts of assets/page/ with the modules that they import, as one script. values: each stands
    in the place of its name.
    """
    script = joined_script(*(f"../page/{file}.js" for file in files))
    for name, value in values.items():
        script = script.replace(name, json.dumps(value).replace("<", "\\u003c"))
    return script


def base_path() -> str:
    """The path of the app on its server, such as /lab; usually empty."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}".rstrip("/")


def plotly_route() -> Route:
    """The route of plotly.js, as the package `plotly` ships it."""
    return Route(f"{base_path()}/{PLOTLY_URL}", _plotly_js)


def _plotly_js(request: Request) -> FileResponse:
    headers = {"Cache-Control": f"public, immutable, max-age={ONE_YEAR_SECONDS}"}
    return FileResponse(PLOTLY_JS, media_type="text/javascript", headers=headers)
