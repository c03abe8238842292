"""The files of all visitors together take a bounded part of the memory, and a page says so."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import Message
from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server.starlette import starlette_routes

from attention_core.errors import FileError
from attention_ui import housekeeping, server, upload_limits
from attention_ui.streamlit_private import end_visits_that_are_over, kept_files, n_visits
from attention_ui.upload_limits import (
    DROPPED_TYPE,
    FILE_OVERHEAD_BYTES,
    LeftFiles,
    UploadRoom,
    check_upload,
    size_of,
)
from tests.ui.app import errors, opened
from tests.ui.uploads import uploaded

SIZE = 3_000_000
ROOM_BYTES = 4 * (SIZE + 2 * FILE_OVERHEAD_BYTES)  # room is taken in steps of the latter
HERE = "192.0.2.7"


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryUploadedFileManager]:
    """Streamlit's place for files, with room for four of `SIZE` with all that a browser sends,
    three of one network, two of one visit.
    """
    for name, share in (("UPLOADED_BYTES", 4), ("BYTES_OF_NETWORK", 3), ("BYTES_OF_VISIT", 2)):
        monkeypatch.setattr(upload_limits, f"MAX_{name}", ROOM_BYTES * share // 4)
    files = MemoryUploadedFileManager("/upload")
    there = SimpleNamespace(uploaded_file_mgr=files, is_active_session=lambda visit: False)
    monkeypatch.setattr(runtime, "get_instance", lambda: there)
    yield files
    assert sum(map(size_of, kept_files().values())) <= ROOM_BYTES


class Browsers:
    """Browsers that send files to Streamlit's own route behind the middleware."""

    def __init__(self, manager: MemoryUploadedFileManager) -> None:
        self.manager = manager
        visits: Any = SimpleNamespace(is_active_session=lambda name: True)
        routes = starlette_routes.create_upload_routes(visits, manager, None)
        self.app = Starlette(routes=routes, middleware=[Middleware(UploadRoom)])

    async def send(
        self,
        name: str,
        n_bytes: int = SIZE,
        source: str = HERE,
        ready: asyncio.Event | None = None,
        length: bytes | None = None,
    ) -> int:
        """Send a file, named as its visit and itself, such as a/b; gives the status. ready: when it
        is set the last bytes come, without it none are missing. length: what is told of it, nothing
        if it is empty.
        """
        begin = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.npz"\r\n\r\n'
        pieces = [bytes(min(100_000, n_bytes - at)) for at in range(0, n_bytes, 100_000)]
        parts = [begin, *pieces, b"\r\n--x--\r\n"]
        told = b"%d" % sum(map(len, parts)) if length is None else length
        headers = [(b"content-type", b"multipart/form-data; boundary=x")]
        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/{name}",
            "query_string": b"",
            "headers": headers + ([(b"content-length", told)] if told else []),
            "client": (source, 1),
        }
        found: list[Message] = []

        async def receive() -> Message:
            if len(parts) == 1 and ready:
                await ready.wait()
            await asyncio.sleep(0)
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def keep(message: Message) -> None:
            found.append(message)

        await self.app(scope, receive, keep)
        return int(found[0]["status"])

    def kept(self, name: str) -> int:
        """How many bytes of a file are kept, -1 if it is unknown or was dropped."""
        visit, _, file = name.partition("/")
        files = self.manager.get_files(visit, [file])
        return next((len(file.data) for file in files if file.type != DROPPED_TYPE), -1)


@pytest.fixture
def browsers(manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch) -> Browsers:
    """Browsers of pages that are open."""
    monkeypatch.setattr(starlette_routes, "is_xsrf_enabled", lambda: False)
    monkeypatch.setattr(starlette_routes, "allow_all_cross_origin_requests", lambda: True)
    return Browsers(manager)


def test_what_does_not_fit_is_not_kept(browsers: Browsers) -> None:
    """All have one room, a network three quarters of it, a visit half of it."""
    tried = [("a/1", HERE), ("a/2", HERE), ("a/3", HERE), ("b/1", HERE), ("c/1", HERE)]
    tried += [("d/1", "2001:db8::1"), ("d/2", "2001:db8::2")]
    assert [asyncio.run(browsers.send(name, source=source)) for name, source in tried] == [204] * 7
    kept = [browsers.kept(name) for name, _ in tried]
    assert kept == [SIZE, SIZE, -1, SIZE, -1, SIZE, -1]
    first, third = browsers.manager.get_files("a", ["1", "3"])
    check_upload(first)
    with pytest.raises(FileError, match=f"{ROOM_BYTES:,}"):
        check_upload(third)
    for visit in "ac":
        browsers.manager.remove_session_files(visit)
    asyncio.run(browsers.send("c/2"))
    assert browsers.kept("c/2") == SIZE


def test_files_that_come_at_once_are_counted(browsers: Browsers) -> None:
    async def visit() -> list[int]:
        ready = asyncio.Event()
        each = [
            asyncio.create_task(browsers.send(f"{one}/1", SIZE, source, ready))
            for one, source in enumerate(["6.6.6.6"] * 8 + [HERE] * 8)
        ]
        for _ in range(60):
            await asyncio.sleep(0)
        coming = [file.n_bytes for file in room_of(browsers).arriving]
        ready.set()
        await asyncio.gather(*each)
        return coming

    coming = asyncio.run(visit())
    assert len(coming) == 16
    assert sum(coming) <= ROOM_BYTES
    kept = [browsers.kept(f"{one}/1") for one in range(16)]
    assert 2 <= kept.count(SIZE) <= 4


def room_of(browsers: Browsers) -> UploadRoom:
    """The middleware that browsers meet."""
    room = browsers.app.middleware_stack.app  # type: ignore[union-attr]
    assert isinstance(room, UploadRoom)
    return room


@pytest.mark.parametrize("length", [b"600000000", b"", b"-5"])
def test_what_is_announced_takes_no_room(browsers: Browsers, length: bytes) -> None:
    async def visit() -> int:
        ready = asyncio.Event()
        never = [
            asyncio.create_task(browsers.send(f"{one}/1", 0, "6.6.6.6", ready, length))
            for one in range(4)
        ]
        for _ in range(9):
            await asyncio.sleep(0)
        assert len(room_of(browsers).arriving) == 4
        status = await browsers.send("a/1")
        ready.set()
        await asyncio.gather(*never)
        return status

    assert asyncio.run(visit()) == 204
    assert browsers.kept("a/1") == SIZE


def test_a_file_that_stops_coming_gives_its_room_back(
    browsers: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one of which nothing is kept; a first part, and a further one, have their time."""
    clock = [0.0]
    waits: list[float] = []

    @asynccontextmanager
    async def until(deadline: float) -> AsyncIterator[None]:
        waits.append(round(deadline - clock[0]))
        if len(waits) > n_parts:
            raise TimeoutError
        yield
        clock[0] += 1.0

    async def visit(n_bytes: int) -> int:
        loop: Any = SimpleNamespace(time=lambda: clock[0])
        monkeypatch.setattr(upload_limits.asyncio, "get_running_loop", lambda: loop)
        monkeypatch.setattr(upload_limits.asyncio, "timeout_at", until)
        return await browsers.send("a/1", n_bytes)

    n_parts = 9
    assert asyncio.run(visit(SIZE)) == 408
    assert waits[:8] == [60, 59, 58, 57, 56, 55, 54, 53]
    assert waits[8:] == [10, 9]
    assert not room_of(browsers).arriving
    assert browsers.kept("a/1") == -1
    waits.clear()
    n_parts = 200
    assert asyncio.run(visit(3 * SIZE)) == 204, "it goes on coming, and nothing is kept"
    assert set(waits) == {60, 59, 58, 57, 56, 55, 54, 53, 10, 9, 8, 7, 6, 5, 4}
    waits.clear()
    n_parts = 70
    assert asyncio.run(visit(3 * SIZE)) == 408


def test_many_small_files_end_somewhere(browsers: Browsers) -> None:
    found = [asyncio.run(browsers.send(f"a/{number}", 0)) for number in range(30)]
    assert (found[0], found[-1]) == (204, 503)
    assert asyncio.run(browsers.send("b/1", 0)) == 204


def test_an_upload_needs_no_temporary_folder(
    browsers: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server whose disk is read-only has none."""

    def refuses(*given: Any, **about: Any) -> None:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuses)
    monkeypatch.setattr(tempfile, "gettempdir", refuses)
    assert asyncio.run(browsers.send("a/1")) == 204
    assert browsers.kept("a/1") == SIZE


def test_files_of_a_visit_that_is_gone_go_within_a_minute(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But not if its browser comes back in time. The server looks every ten seconds."""
    assert housekeeping.SECONDS_BETWEEN_VISITS == 10
    now, here = [0.0], {"stays"}
    there = SimpleNamespace(uploaded_file_mgr=manager, is_active_session=here.__contains__)
    monkeypatch.setattr(runtime, "get_instance", lambda: there)
    left = LeftFiles(lambda: now[0])
    for visit in ("stays", "gone", "returns"):
        manager.add_file(visit, UploadedFileRec("a", "a", "", bytes(1000)))
    found = []
    for seconds in range(10, 120, 10):
        now[0] = seconds
        if seconds == 40:
            here.add("returns")
        if seconds == 60:
            here.discard("returns")
        left.drop()
        found.append((seconds, *kept_files()))
    assert found[3] == (40, "stays", "gone", "returns")
    assert found[4] == (50, "stays", "returns")
    assert found[8] == (90, "stays", "returns")
    assert found[9] == (100, "stays")


def test_files_go_two_minutes_after_their_visitor(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no other visitor comes or leaves."""
    now, storage = [0.0], MemorySessionStorage()
    monkeypatch.setattr(storage._cache, "_timer", lambda: now[0])
    sessions = WebsocketSessionManager(storage, manager, Mock(), None)
    there = SimpleNamespace(_session_mgr=sessions, uploaded_file_mgr=manager)
    monkeypatch.setattr(runtime, "get_instance", lambda: there)
    visit = SimpleNamespace(id="a", shutdown=partial(manager.remove_session_files, "a"))
    storage.save(SessionInfo(None, cast(AppSession, visit)))
    manager.add_file("a", UploadedFileRec("large", "large", "", bytes(1000)))
    for seconds, left in ((0.0, 1), (119.0, 1), (121.0, 0)):
        now[0] = seconds
        end_visits_that_are_over()
        assert (len(manager.get_files("a", ["large"])), n_visits()) == (left, left)


def test_the_server_has_it() -> None:
    assert UploadRoom in [one.cls for one in server.middleware()]


def test_every_page_tells_it() -> None:
    room = f"{upload_limits.MAX_UPLOADED_BYTES:,}"
    (said,) = errors(uploaded("a.npz", b"", kind=DROPPED_TYPE))
    assert room in said

    app = opened("scores")
    app.session_state["own numbers"] = True
    app.run().file_uploader(key="own file").set_value(("x.csv", b"", DROPPED_TYPE)).run()
    (said,) = errors(app)
    assert room in said
    assert app.session_state["own"] == ""
