"""Requests to routes of the server without a network."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette


@dataclass
class Answered:
    """What a route answers."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def said(self) -> dict[str, Any]:
        """The object in the body."""
        return dict(json.loads(self.body))


async def asked(
    server: Starlette,
    path: str,
    body: object = None,
    *,
    secret: str | None = None,
    visitor: str | None = None,
    ticket: str | None = None,
    source: str = "192.0.2.7",
    kind: str = "application/json",
    arrives: bool = True,
) -> Answered:
    """Ask by GET, or by POST with a body: bytes as they are, anything else as JSON.

    arrives: whether the body ever comes to its end.
    """
    path, _, query = path.partition("?")
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = [(b"content-type", kind.encode())]
    for name, text in (("secret", secret), ("visitor", visitor), ("ticket", ticket)):
        headers += [(f"x-class-{name}".encode(), text.encode())] if text is not None else []
    scope = {
        "type": "http",
        "method": "GET" if body is None else "POST",
        "path": path,
        "query_string": query.encode(),
        "headers": headers,
        "client": (source, 1),
    }
    waiting = [{"type": "http.request", "body": sent, "more_body": not arrives}]
    found: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        found.append(dict(message))

    await server(scope, receive, send)
    said = {name.decode(): value.decode() for name, value in found[0]["headers"]}
    return Answered(found[0]["status"], b"".join(m.get("body", b"") for m in found[1:]), said)
