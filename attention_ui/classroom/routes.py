"""What a page of a class asks the server, without a script of Streamlit: small, and in
milliseconds.

`state` waits for news of a room, at most `WAIT` seconds; `vote` and `move` answer when it is on the
disk. Who votes is known by a random token of his browser, the teacher by a secret. Both come in the
body or in a header that a page of another site may not send.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from attention_core.errors import AttentionError, FileError, SettingsError
from attention_lab.classroom.letters import check_token, room_in
from attention_lab.classroom.limits import ClosedError, RightsError, RoomError, TooManyError
from attention_lab.classroom.posed import LAST_QUESTION

from ..browser_files import base_path
from ..practice import parse_answer
from .hall import FRESH, hall

PATH = "/class-room"
WAIT = 4.0  # seconds; a server that stops waits for its last answers
MAX_BODY = 12_000  # bytes
SECRET = "x-class-secret"  # the header with the teacher's secret
STATUS: dict[type[AttentionError], int] = {
    RoomError: 404,
    RightsError: 403,
    ClosedError: 409,
    TooManyError: 429,
    FileError: 503,
}
Answer = Callable[[Request], Awaitable[Response]]


def explained(answer: Answer) -> Answer:
    """The same, but what was refused is told as a sentence."""

    @wraps(answer)
    async def explaining(request: Request) -> Response:
        try:
            return await answer(request)
        except AttentionError as error:
            status = STATUS.get(type(error), 400)
            headers = {"retry-after": "1"} if status in (429, 503) else None
            return JSONResponse({"error": str(error)}, status, headers)

    return explaining


@explained
async def state(request: Request) -> Response:
    """A room as it is, as soon as it differs from what was seen; nothing new is 204."""
    room, secret = room_in(request.query_params.get("room", "")), request.headers.get(SECRET)
    seen, loop = request.query_params.get("seen", ""), asyncio.get_running_loop()
    if secret is not None:
        hall().rooms.check_teacher(room, secret)
    end = loop.time() + WAIT
    while (told := hall().told(room, secret is not None)).tag == seen:
        if loop.time() >= end or await request.is_disconnected():
            return Response(status_code=204)
        await asyncio.sleep(FRESH)
    return Response(told.body, media_type="application/json", headers={"cache-control": "no-store"})


@explained
async def vote(request: Request) -> Response:
    """Keep an answer, and tell as which number it was read."""
    said = await _said(request)
    room, token = room_in(str(said.get("room", ""))), check_token(said.get("token"))
    number, answer = said.get("number"), said.get("answer")
    if not isinstance(number, int) or not isinstance(answer, str) or len(answer) > LAST_QUESTION:
        raise SettingsError(
            f"An answer is a text of at most {LAST_QUESTION} characters to the question of a"
            " number; write a shorter one"
        )
    source = request.client.host if request.client else ""
    value = parse_answer(answer)
    await asyncio.wrap_future(hall().vote(room, token, number, value, source))
    return JSONResponse({"kept": True, "value": value})


@explained
async def move(request: Request) -> Response:
    """Bring those who follow the teacher to a page."""
    said = await _said(request)
    room, moment = room_in(str(said.get("room", ""))), str(said.get("moment", ""))
    secret = request.headers.get(SECRET, "")
    act = partial(hall().lead, lambda rooms: rooms.move(room, secret, moment), room)
    await asyncio.get_running_loop().run_in_executor(None, act)
    return JSONResponse({"kept": True})


def class_routes() -> tuple[Route, ...]:
    """All of them, below the path that is set for the whole app."""
    before = base_path() + PATH
    return (
        Route(f"{before}/state", state, methods=["GET"]),
        Route(f"{before}/vote", vote, methods=["POST"]),
        Route(f"{before}/move", move, methods=["POST"]),
    )


async def _said(request: Request) -> dict[str, Any]:
    """The JSON object in the body. A page of another site may send a form, but not JSON."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise SettingsError(
            "The body must be of type application/json; send it from a page of ours"
        )
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise SettingsError(f"The body may have {MAX_BODY:,} bytes and has more; send less")
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SettingsError("The body must be JSON, but cannot be read; reload the page") from error
    if not isinstance(said, dict):
        raise SettingsError("The body must be an object in JSON; reload the page")
    return said
