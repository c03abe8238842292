"""What the server answers beside Streamlit: where, and the file with plotly.js."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

PLOTLY = distribution("plotly")
PLOTLY_JS = Path(str(PLOTLY.locate_file("plotly/package_data/plotly.min.js")))
# Below the app's own URL. It names the version, so a browser may keep the file for good.
PLOTLY_URL = f"lab/plotly-{PLOTLY.version}.min.js"
ONE_YEAR = 365 * 24 * 60 * 60  # seconds


def base_path() -> str:
    """What stands before the path of every page, such as /lab; nothing as a rule."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def plotly_route() -> Route:
    """plotly.js, as the package `plotly` ships it."""
    return Route(f"{base_path()}/{PLOTLY_URL}", _plotly_js)


def _plotly_js(request: Request) -> FileResponse:
    kept = {"Cache-Control": f"public, immutable, max-age={ONE_YEAR}"}
    return FileResponse(PLOTLY_JS, media_type="text/javascript", headers=kept)
