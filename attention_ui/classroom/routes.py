"""Routes by which the page of a class talks to the server, without a run of the script.

`send_state` waits for news of a room, at most `MAX_WAIT` seconds; `keep_vote`, `move_class`
and `lead_class` answer when it is on the disk. A random token of the browser identifies a voter, a
secret the teacher. Both come in the body or in a header that a page of another site may not send.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from attention_core.errors import AttentionError, FileError, SettingsError
from attention_lab.classroom.class_question import MAX_ANSWER_CHARACTERS, question_from_json
from attention_lab.classroom.letters import check_token, parse_room
from attention_lab.classroom.limits import (
    ClosedError,
    RightsError,
    RoomError,
    TooManyError,
    network_of,
)
from attention_lab.classroom.rooms import Rooms
from attention_lab.practice import parse_answer
from attention_lab.quiz import Question

from ..browser_files import base_path
from .room_service import ask_class, room_service

CLASS_PATH = "/class-room"
MAX_WAIT = 4.0  # seconds; a server that stops waits for its last answers
MAX_BODY = 40_000  # bytes, of a question with four pictures
MAX_BODY_SECONDS = 10.0  # until a body is there
SECRET_HEADER = "x-class-secret"  # the header with the teacher's secret
VISITOR_HEADER = "x-class-visitor"  # the header with the token of the browser
TICKET_HEADER = "x-class-ticket"  # the header with the ticket of who has joined by a page
ERROR_STATUS: dict[type[AttentionError], int] = {
    RoomError: 404,
    RightsError: 403,
    ClosedError: 409,
    TooManyError: 429,
    FileError: 503,
}
Answer = Callable[[Request], Awaitable[Response]]


def explain_errors(answer: Answer) -> Answer:
    """The same route; an `AttentionError` becomes a JSON answer with its sentence."""

    @wraps(answer)
    async def answer_or_error(request: Request) -> Response:
        try:
            return await answer(request)
        except AttentionError as error:
            status = ERROR_STATUS.get(type(error), 400)
            headers = {"retry-after": "1"} if status in (429, 503) else None
            return _json({"error": str(error)}, status, headers)

    return answer_or_error


@explain_errors
async def send_state(request: Request) -> Response:
    """The state of a room as soon as it differs from the one seen; 204 if nothing is new."""
    room, source = parse_room(request.query_params.get("room", "")), _network(request)
    secret, visitor = (request.headers.get(name) for name in (SECRET_HEADER, VISITOR_HEADER))
    _note_presence(room, source, secret, visitor, request.headers.get(TICKET_HEADER, ""))
    seen, waiting = request.query_params.get("seen", ""), room_service().waiting
    is_in, to_teacher = room_service().presence.is_in(room, visitor or ""), secret is not None
    member = "teacher" if to_teacher else (visitor or "") * is_in
    news = await waiting.news(room, to_teacher, seen, source, MAX_WAIT, member)
    if news is None:
        return Response(status_code=204)
    return Response(news.body, media_type="application/json", headers={"cache-control": "no-store"})


def _note_presence(
    room: str, source: str, secret: str | None, visitor: str | None, ticket: str
) -> None:
    """A student is in the room; its teacher, whose secret is checked, is not counted."""
    service = room_service()
    service.enter(room, source, visitor or "", secret=secret or "", ticket=ticket)
    if secret is not None:
        service.rooms.check_teacher(room, secret)
    if visitor is not None:
        presence = service.presence
        (presence.see if secret is None else presence.leave)(room, check_token(visitor))
        service.tell_people(room)


@explain_errors
async def keep_vote(request: Request) -> Response:
    """Write an answer, and return the number that was read from it."""
    body = await _read_body(request)
    room, token = parse_room(str(body.get("room", ""))), check_token(body.get("token"))
    number, answer = body.get("number"), body.get("answer")
    if (
        not isinstance(number, int)
        or not isinstance(answer, str)
        or len(answer) > MAX_ANSWER_CHARACTERS
    ):
        raise SettingsError(
            f"An answer is a text of at most {MAX_ANSWER_CHARACTERS} characters to a numbered"
            " question; write a shorter one"
        )
    value, source = parse_answer(answer), _network(request)
    ticket = request.headers.get(TICKET_HEADER, "")
    await asyncio.wrap_future(room_service().vote(room, token, number, value, source, ticket))
    return _json({"kept": True, "value": value})


@explain_errors
async def move_class(request: Request) -> Response:
    """Send the students who follow the teacher to a page."""
    body = await _read_body(request)
    room, moment = parse_room(str(body.get("room", ""))), str(body.get("moment", ""))
    secret = request.headers.get(SECRET_HEADER, "")
    room_service().enter(room, _network(request), secret=secret)
    act = partial(room_service().change, lambda rooms: rooms.move(room, secret, moment), room)
    await asyncio.get_running_loop().run_in_executor(None, act)
    return _json({"kept": True})


@explain_errors
async def lead_class(request: Request) -> Response:
    """What the teacher does from the bar: "ask" a question, or the same one "again", set its vote
    "open", "closed" or "revealed", or "end" the class with a link for students.
    """
    body = await _read_body(request)
    room, secret = parse_room(str(body.get("room", ""))), request.headers.get(SECRET_HEADER, "")
    room_service().enter(room, _network(request), secret=secret)
    posed, there = body.get("question"), str(body.get("there", "/"))
    match body.get("act"):
        case "ask":
            act = partial(ask_class, room=room, secret=secret, posed=_posed(posed))
        case "again":
            asked = room_service().rooms.state(room).question
            if asked is None:
                raise SettingsError(f"Room {room} has no question yet; choose one first")
            act = partial(ask_class, room=room, secret=secret, posed=asked)
        case "end":
            act = partial(Rooms.end, room=room, secret=secret, moment=there)
        case state:
            act = partial(Rooms.set_state, room=room, secret=secret, state=str(state))
    run = partial(room_service().change, act, room)
    await asyncio.get_running_loop().run_in_executor(None, run)
    return _json({"kept": True})


def _posed(question: object) -> Question:
    """The question that a page has sent. Raises: SettingsError."""
    try:
        return question_from_json(json.dumps(question))
    except FileError as error:
        raise SettingsError("That is no question; reload the page") from error


def class_routes() -> tuple[Route, ...]:
    """All routes, below the base path of the app."""
    prefix = base_path() + CLASS_PATH
    return (
        Route(f"{prefix}/state", send_state, methods=["GET"]),
        Route(f"{prefix}/vote", keep_vote, methods=["POST"]),
        Route(f"{prefix}/move", move_class, methods=["POST"]),
        Route(f"{prefix}/lead", lead_class, methods=["POST"]),
    )


def _json(
    data: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """An answer in ASCII, because half a character, which a text may hold, is no UTF-8."""
    return Response(json.dumps(data), status, headers, "application/json")


def _network(request: Request) -> str:
    return network_of(request.client.host if request.client else None)


async def _read_body(request: Request) -> dict[str, Any]:
    """The JSON object in the body. A page of another site may send a form, but not JSON."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise SettingsError(
            "The body must be of type application/json; send it from a page of this app"
        )
    body = b""
    try:
        async with asyncio.timeout(MAX_BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY:
                    raise SettingsError(f"The body may have {MAX_BODY:,} bytes, not more")
    except TimeoutError as error:
        raise SettingsError(f"The body did not come within {MAX_BODY_SECONDS:g} s") from error
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SettingsError("The body must be JSON; reload the page") from error
    if not isinstance(said, dict):
        raise SettingsError("The body must be a JSON object; reload the page")
    return said
