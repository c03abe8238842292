"""The files of all visitors together take a bounded part of the memory, and a page says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
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
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES
from attention_ui import server, upload_limits
from attention_ui.streamlit_private import end_visits_that_are_over, n_visits
from attention_ui.upload_limits import (
    DROPPED_TYPE,
    FILE_OVERHEAD_BYTES,
    UploadRoom,
    check_upload,
    used_bytes,
)
from tests.ui.app import errors, opened
from tests.ui.uploads import uploaded

SIZE = 400_000
ROOM_BYTES = 4 * (SIZE + 1000 + FILE_OVERHEAD_BYTES)


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryUploadedFileManager]:
    """Streamlit's place for files, with room for four of `SIZE` with all that a browser sends."""
    monkeypatch.setattr(upload_limits, "MAX_UPLOADED_BYTES", ROOM_BYTES)
    files = MemoryUploadedFileManager("/upload")
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=files))
    yield files
    assert used_bytes() <= ROOM_BYTES


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
        source: str = "192.0.2.7",
        ready: asyncio.Event | None = None,
        length: bytes | None = None,
    ) -> int:
        """Send a file, its last bytes when `ready` is set; gives the status. length: what is told
        of it, nothing if it is empty.
        """
        begin = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.npz"\r\n\r\n'
        parts = [begin, bytes(n_bytes), b"\r\n--x--\r\n"]
        told = b"%d" % sum(map(len, parts)) if length is None else length
        headers = [(b"content-type", b"multipart/form-data; boundary=x")]
        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/visit/{name}",
            "query_string": b"",
            "headers": headers + ([(b"content-length", told)] if told else []),
            "client": (source, 1),
        }
        found: list[Message] = []

        async def receive() -> Message:
            if len(parts) == 1 and ready:
                await ready.wait()
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def keep(message: Message) -> None:
            found.append(message)

        await self.app(scope, receive, keep)
        return int(found[0]["status"])

    def kept(self, name: str) -> int:
        """How many bytes of a file are kept, -1 if it is unknown or was dropped."""
        files = self.manager.get_files("visit", [name])
        return next((len(file.data) for file in files if file.type != DROPPED_TYPE), -1)


@pytest.fixture
def browsers(manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch) -> Browsers:
    """Browsers of pages that are open."""
    monkeypatch.setattr(starlette_routes, "is_xsrf_enabled", lambda: False)
    monkeypatch.setattr(starlette_routes, "allow_all_cross_origin_requests", lambda: True)
    return Browsers(manager)


def test_what_does_not_fit_is_not_kept(browsers: Browsers) -> None:
    names = list("abcd")
    assert [asyncio.run(browsers.send(name)) for name in names] == [204] * 4
    assert [browsers.kept(name) for name in names] == [SIZE] * 4
    asyncio.run(browsers.send("e"))
    assert browsers.kept("e") == -1
    browsers.manager.remove_session_files("visit")
    asyncio.run(browsers.send("half", 3 * SIZE))  # and more
    assert asyncio.run(browsers.send("large", ROOM_BYTES)) == 204
    assert (browsers.kept("half"), browsers.kept("large")) == (3 * SIZE, -1)
    half, large = browsers.manager.get_files("visit", ["half", "large"])
    check_upload(half)
    with pytest.raises(FileError, match=f"{ROOM_BYTES:,}"):
        check_upload(large)


def test_files_that_come_at_once_are_counted_before_they_are_read(browsers: Browsers) -> None:
    async def visit() -> int:
        ready = asyncio.Event()
        each = [
            asyncio.create_task(browsers.send(str(one), SIZE, source, ready))
            for one, source in enumerate(["6.6.6.6"] * 8 + ["192.0.2.7"] * 8)
        ]
        for _ in range(50):
            await asyncio.sleep(0)
        coming: int = browsers.app.middleware_stack.app._coming.total()  # type: ignore[union-attr]
        ready.set()
        await asyncio.gather(*each)
        return coming

    assert asyncio.run(visit()) <= ROOM_BYTES
    kept = [browsers.kept(str(one)) for one in range(16)]
    assert SIZE in kept[:8]
    assert SIZE in kept[8:]
    assert kept[:8].count(SIZE) <= 2


def test_an_upload_that_tells_no_length_counts_as_the_largest(browsers: Browsers) -> None:
    for length in (b"", b"-5", b"\xb2"):
        asyncio.run(browsers.send("a", length=length))
        assert browsers.kept("a") == -1
    assert MAX_WEIGHT_BYTES > ROOM_BYTES


def test_many_small_files_end_somewhere(browsers: Browsers) -> None:
    found = [asyncio.run(browsers.send(str(number), 0)) for number in range(30)]
    assert (found[0], found[-1]) == (204, 503)


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
