"""The process that serves all visitors: its bounds, its own routes, and opening a browser."""

from __future__ import annotations

import gc
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import Timer

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from .browser_files import base_path, plotly_route
from .classroom.routes import class_routes
from .first_paint import FirstPaint
from .upload_limits import limit_uploads

# A visitor needs three open files (an event loop), and Streamlit keeps 128 visitors who have left
# for two minutes. The usual bound of a terminal on macOS, 256, was reached by the 79th page load;
# after it nobody was served.
MAX_OPEN_FILES = 8192
SECONDS_TO_START = 0.5  # until the server answers


def set_limits() -> None:
    """Set the bounds of this process before it serves anybody."""
    # By default Python looks for cycles after every 700 new objects. With many visitors this took a
    # tenth of the time, and each look at all objects makes everybody wait.
    gc.set_threshold(5_000)
    raise_file_limit()
    limit_uploads()


def middleware() -> list[Middleware]:
    """What answers of the server pass on their way to a browser."""
    return [Middleware(FirstPaint)]


def routes() -> list[Route]:
    """The routes that are served without a Streamlit script."""
    return [plotly_route(), *class_routes()]


@asynccontextmanager
async def open_browser(app: st.App) -> AsyncIterator[None]:
    """Open the app in the browser of this machine, unless `server.headless` is set. Streamlit does
    this for a script, but not for an `st.App`.
    """
    if not st.get_option("server.headless"):
        later = Timer(SECONDS_TO_START, webbrowser.open, (local_url(),))
        later.daemon = True
        later.start()
    yield


def local_url() -> str:
    """The URL of the app on this machine."""
    scheme = "http"
    if st.get_option("server.sslCertFile"):
        scheme = "https"
    host = st.get_option("browser.serverAddress") or "localhost"
    return f"{scheme}://{host}:{st.get_option('server.port')}{base_path()}"


def raise_file_limit() -> None:
    """Raise the bound on open files as far as the system allows, up to `MAX_OPEN_FILES`. A higher
    bound stays, and Windows has none.
    """
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # Some systems allow less than the bound that they report.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
