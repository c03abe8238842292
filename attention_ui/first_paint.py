"""What a browser shows before the app's style sheet has come: the name of the app, no bare control.

Streamlit loads each kind of control when it is first needed. Without this a slow browser shows the
first kind that arrives, alone and without its style, in a white window.
"""

from __future__ import annotations

from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .registry import ASSETS

ROOT_ELEMENT, END_OF_HEAD = b'id="root"', b"</head>"
# Headers of a request for which the server would send a packed file, or none.
SHORTENING = (b"accept-encoding", b"if-none-match", b"if-modified-since")


class FirstPaint:
    """Server middleware that adds `assets/page/first_paint.css` to the page of Streamlit."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        style = (ASSETS / "page" / "first_paint.css").read_bytes()
        self.added = b"<style>" + style + b"</style>" + END_OF_HEAD

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; one for a page is served whole."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        if is_get and "text/html" in Headers(scope=scope).get("accept", ""):
            kept = [one for one in scope["headers"] if one[0].lower() not in SHORTENING]
            await self.app({**scope, "headers": kept}, receive, _Page(self.added, send).send)
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


def _is_html(start: Message) -> bool:
    raw: Any = start.get("headers", [])
    return Headers(raw=raw).get("content-type", "").startswith("text/html")
