"""The process that serves all visitors: what it may use, and what it answers beside Streamlit."""

from __future__ import annotations

import gc
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Timer

import streamlit as st
from starlette.routing import Route

from .classroom.routes import class_routes
from .open_files import allow_enough
from .server_routes import base_path, plotly_route
from .upload_room import bound_uploads

SECONDS_TO_START = 0.5  # after which the server answers


def prepare() -> None:
    """Set the bounds of this process, before it serves anybody."""
    # Python looks for cycles after every 700 new objects, a tenth of the time with many visitors;
    # each look at all objects makes everybody wait.
    gc.set_threshold(5_000)
    allow_enough()
    bound_uploads()


def routes() -> list[Route]:
    """What is answered beside Streamlit, without one of its scripts."""
    return [plotly_route(), *class_routes()]


@asynccontextmanager
async def open_browser(app: st.App) -> AsyncIterator[None]:
    """Open the app in the browser of this machine, unless `server.headless` is set. Streamlit does
    so itself for a script, but not for an `st.App`.
    """
    if not st.get_option("server.headless"):
        later = Timer(SECONDS_TO_START, webbrowser.open, (app_url(),))
        later.daemon = True
        later.start()
    yield


def app_url() -> str:
    """The URL of the app on this machine."""
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    host = st.get_option("browser.serverAddress") or "localhost"
    return f"{scheme}://{host}:{st.get_option('server.port')}{base_path()}"
