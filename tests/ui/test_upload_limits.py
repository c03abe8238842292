"""The files of all visitors together take a bounded part of the memory, and a page says so."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import cast
from unittest.mock import Mock

import pytest
from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from attention_core.errors import FileError
from attention_ui import upload_limits
from attention_ui.labs import picture_upload
from attention_ui.server import set_limits
from attention_ui.streamlit_private import end_visits_that_are_over
from attention_ui.upload_limits import (
    FILE_OVERHEAD_BYTES,
    check_upload,
    limit_add_file,
    limit_uploads,
    used_bytes,
)
from tests.ui.app import errors, opened
from tests.ui.uploads import uploaded


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """Streamlit's place for files, with room for three of 1,000 bytes."""
    monkeypatch.setattr(upload_limits, "MAX_UPLOADED_BYTES", 3 * (1000 + FILE_OVERHEAD_BYTES))
    original = getattr(
        MemoryUploadedFileManager.add_file, "__wrapped__", MemoryUploadedFileManager.add_file
    )
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", limit_add_file(original))
    return MemoryUploadedFileManager("/upload")


def send(manager: MemoryUploadedFileManager, session: str, name: str, n_bytes: int = 1000) -> int:
    """Send a file and return how many bytes of it are kept, -1 if the file is unknown."""
    manager.add_file(session, UploadedFileRec(name, name, "", bytes(n_bytes)))
    return next((len(file.data) for file in manager.get_files(session, [name])), -1)


def test_what_does_not_fit_is_not_kept(manager: MemoryUploadedFileManager) -> None:
    assert [send(manager, *where) for where in ("aa", "ab", "ba")] == [1000] * 3
    assert [send(manager, "c", f"c{i}") for i in range(3)] == [-1] * 3
    assert used_bytes(manager) <= upload_limits.MAX_UPLOADED_BYTES
    manager.remove_session_files("a")
    assert send(manager, "c", "c4") == 1000
    assert send(manager, "c", "c5", 2000) == 0


def test_the_page_is_told(manager: MemoryUploadedFileManager) -> None:
    assert send(manager, "a", "large", upload_limits.MAX_UPLOADED_BYTES) == 0
    (file,) = manager.get_files("a", ["large"])
    with pytest.raises(FileError, match=f"{upload_limits.MAX_UPLOADED_BYTES:,}"):
        check_upload(file)
    send(manager, "a", "small")
    check_upload(*manager.get_files("a", ["small"]))


def test_many_small_files_end_somewhere(manager: MemoryUploadedFileManager) -> None:
    for number in range(20):
        send(manager, "a", str(number), 0)
    assert len(manager.file_storage["a"]) == 3


def test_files_go_two_minutes_after_their_visitor(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no other visitor comes or leaves."""
    now, storage = [0.0], MemorySessionStorage()
    monkeypatch.setattr(storage._cache, "_timer", lambda: now[0])
    sessions = WebsocketSessionManager(storage, manager, Mock(), None)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(_session_mgr=sessions))
    visit = SimpleNamespace(id="a", shutdown=partial(manager.remove_session_files, "a"))
    storage.save(SessionInfo(None, cast(AppSession, visit)))
    send(manager, "a", "large")
    for seconds, left in ((0.0, 1000), (119.0, 1000), (121.0, 0)):
        now[0] = seconds
        end_visits_that_are_over()
        assert sum(len(file.data) for file in manager.get_files("a", ["large"])) == left


def test_it_is_bounded_once() -> None:
    limit_uploads()
    first = MemoryUploadedFileManager.add_file
    limit_uploads()
    assert MemoryUploadedFileManager.add_file is first
    assert not hasattr(first.__wrapped__, "__wrapped__")  # type: ignore[attr-defined]


def test_the_app_bounds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(
        MemoryUploadedFileManager.add_file, "__wrapped__", MemoryUploadedFileManager.add_file
    )
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", original)
    monkeypatch.setattr(upload_limits, "MAX_UPLOADED_BYTES", FILE_OVERHEAD_BYTES + 10)
    set_limits()
    room = f"{FILE_OVERHEAD_BYTES + 10:,}"
    (said,) = errors(uploaded("a.npz", bytes(100)))
    assert room in said

    app = opened("convolution", conv_image="file")
    app.file_uploader(key="conv file").set_value(("a.png", bytes(100), "image/png")).run()
    (said,) = errors(app)
    assert room in said
    assert picture_upload.LAST_PICTURE_KEY not in app.session_state

    app = opened("scores")
    app.session_state["own numbers"] = True
    app.run().file_uploader(key="own file").set_value(("x.csv", bytes(100), "")).run()
    (said,) = errors(app)
    assert room in said
    assert app.session_state["own"] == ""
