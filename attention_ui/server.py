"""The process that serves all visitors: its bounds, its own routes, opening a browser, and what a
browser shows before the app's style sheet has come: the name of the app, no bare control.

Streamlit loads each kind of control when it is first needed. Without this a slow browser shows the
first kind that arrives, alone and without its style, in a white window.
"""

import gc
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attention_lab.home import ASSETS
from attention_lab.trained.allowed_models import ALLOWED, LEFT_OUT

from .browser_files import plotly_route
from .classroom.routes import class_routes
from .connections import bound_connections
from .housekeeping import housekeeping, use_one_arena
from .network import local_url, opening_notice
from .streamlit_private import ask_nobody_for_the_address, remember_what_never_changes
from .upload_limits import UploadRoom

# A visitor needs three open files (an event loop), and Streamlit keeps 128 visitors who have left
# for two minutes. The usual bound of a terminal on macOS, 256, was reached by the 79th page load;
# after it nobody was served.
MAX_OPEN_FILES = 8192
MAIN_SCRIPT = str(Path(__file__).with_name("main_script.py"))  # what Streamlit runs for every act
SECONDS_TO_START = 0.5  # until the server answers
ROOT_ELEMENT, END_OF_HEAD = b'id="root"', b"</head>"
# Headers of a request for which the server would send a packed file, or none.
SHORTENING = (b"accept-encoding", b"if-none-match", b"if-modified-since")


def set_limits() -> None:
    """Set the bounds of this process before it serves anybody."""
    # By default Python looks for cycles after every 700 new objects. With many visitors this took a
    # tenth of the time, and each look at all objects makes everybody wait.
    gc.set_threshold(5_000)
    raise_file_limit()
    bound_connections()
    ask_nobody_for_the_address()
    remember_what_never_changes()
    use_one_arena()


def middleware() -> list[Middleware]:
    """What requests and answers pass on their way."""
    return [Middleware(FirstPaint), Middleware(UploadRoom)]


def routes() -> list[Route]:
    """The routes that are served without a Streamlit script."""
    return [plotly_route(), *class_routes()]


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """What runs as long as the server."""
    async with open_browser(app), housekeeping():
        yield


@asynccontextmanager
async def open_browser(app: st.App) -> AsyncIterator[None]:
    """Open the app in the browser of this machine, unless `server.headless` is set. Streamlit does
    this for a script, but not for an `st.App`. An open server says so in the terminal.
    """
    sys.stdout.write(opening_notice())
    sys.stdout.writelines(f"{one}\n" for one in LEFT_OUT)
    sys.stdout.flush()
    if not st.get_option("server.headless"):
        url = local_url()
        if ALLOWED:
            url += f"/writing?{urlencode({'model': next(iter(ALLOWED))})}"
        later = Timer(SECONDS_TO_START, webbrowser.open, (url,))
        later.daemon = True
        later.start()
    yield


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


class FirstPaint:
    """Server middleware that adds `assets/page/first_paint.css` to the page of Streamlit, and to
    that of a deep link where its server is.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.style = (ASSETS / "page" / "first_paint.css").read_bytes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; one for a page is served whole."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        if is_get and "text/html" in Headers(scope=scope).get("accept", ""):
            kept = [one for one in scope["headers"] if one[0].lower() not in SHORTENING]
            added = b"<style>" + self.style + b"</style>" + _where(scope["path"]) + END_OF_HEAD
            await self.app({**scope, "headers": kept}, receive, _Page(added, send).send)
        else:
            await self.app(scope, receive, send)


class _Page:
    """The answer to one request, kept until it is whole if it is a page."""

    def __init__(self, added: bytes, send: Send) -> None:
        self.added, self.pass_on = added, send
        self.start: Message | None = None
        self.body = b""

    async def send(self, message: Message) -> None:
        """Pass a message of the server on to the browser."""
        if message["type"] == "http.response.start" and _is_html(message):
            self.start = message
        elif self.start is None:
            await self.pass_on(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                await self._send_whole(self.start)

    async def _send_whole(self, start: Message) -> None:
        if ROOT_ELEMENT in self.body:
            self.body = self.body.replace(END_OF_HEAD, self.added, 1)
            headers = MutableHeaders(raw=start["headers"])
            headers["content-length"] = str(len(self.body))
            for name in ("etag", "last-modified"):  # they are those of the file alone
                del headers[name]
        await self.pass_on(start)
        await self.pass_on({"type": "http.response.body", "body": self.body})


def _where(path: str) -> bytes:
    """A script that tells Streamlit where its server is seen from a deep link. Without it Streamlit
    first asks below the page itself, in vain, and each answer is an error in the console.
    """
    base = st.get_option("server.baseUrlPath").strip("/")
    if path.strip("/") == base:
        return b""
    where = b"new URL('%s',location).href" % (b".." if path.endswith("/") else b".")
    return b"<script>window.__streamlit={BACKEND_BASE_URL:%s}</script>" % where


def _is_html(start: Message) -> bool:
    raw: Any = start.get("headers", [])
    return Headers(raw=raw).get("content-type", "").startswith("text/html")
