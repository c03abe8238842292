"""The process that serves all visitors: what it may use, and what it serves beside Streamlit."""

from __future__ import annotations

import gc
from importlib.metadata import distribution
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from .open_files import allow_enough
from .upload_room import bound_uploads

PLOTLY = distribution("plotly")
PLOTLY_JS = Path(str(PLOTLY.locate_file("plotly/package_data/plotly.min.js")))
# Below the app's own URL. It names the version, so a browser may keep the file for good.
PLOTLY_URL = f"lab/plotly-{PLOTLY.version}.min.js"
ONE_YEAR = 365 * 24 * 60 * 60  # seconds


def prepare() -> None:
    """Set the bounds of this process, before it serves anybody."""
    # Python looks for cycles after every 700 new objects, a tenth of the time with many visitors;
    # each look at all objects makes everybody wait.
    gc.set_threshold(5_000)
    allow_enough()
    bound_uploads()


def routes() -> list[Route]:
    """What is served beside Streamlit: plotly.js, as the package `plotly` ships it."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return [Route(f"/{base}/{PLOTLY_URL}".replace("//", "/"), _plotly_js)]


def _plotly_js(request: Request) -> FileResponse:
    kept = {"Cache-Control": f"public, immutable, max-age={ONE_YEAR}"}
    return FileResponse(PLOTLY_JS, media_type="text/javascript", headers=kept)
