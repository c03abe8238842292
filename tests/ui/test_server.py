"""What the app serves beside Streamlit, and how Streamlit finds it."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
from streamlit.web.server.app_discovery import discover_asgi_app

from attention_lab.classroom.place import class_place
from attention_lab.classroom.store import PLACE_VARIABLE
from attention_ui import housekeeping, network, server
from attention_ui.classroom.room_service import room_service
from attention_ui.server import FirstPaint
from attention_ui.streamlit_private import remember_what_never_changes
from tests.ui.app import ROOT

PAGE = b'<head></head><div id="root">'


def configure(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    """Set options of Streamlit by their names after the dot."""
    options = {
        "server.port": 8599,
        "server.baseUrlPath": "",
        "server.sslCertFile": None,
        "server.address": "localhost",
        "browser.serverAddress": "localhost",
    }
    options |= {f"server.{name}": value for name, value in changed.items()}
    monkeypatch.setattr(st, "get_option", options.__getitem__)


def test_streamlit_finds_the_app() -> None:
    found = discover_asgi_app(ROOT / "app.py")
    assert (found.is_asgi_app, found.import_string) == (True, "app:app")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\t$(BIN)/python -m attention_ui.command $(ARGS)\n" in makefile


def test_numpy_has_one_thread() -> None:
    source = (ROOT / "app.py").read_text(encoding="utf-8").split("import streamlit")[0]
    told = "print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    command = [sys.executable, "-c", f"import os, sys\n{source}\n{told}"]
    assert subprocess.check_output(command, cwd=ROOT, text=True) == "1 False\n"


def served(
    body: bytes, accepts: str = "text/html", kind: str = "text/html", path: str = "/"
) -> tuple[dict[bytes, bytes], bytes, list[bytes]]:
    """What comes of an answer of the server: its headers, its body; and the headers that the server
    is asked with.
    """
    sent: list[Any] = []
    asked: list[bytes] = []

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        asked.extend(name for name, _ in scope["headers"])
        headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body[:9], "more_body": True})
        await send({"type": "http.response.body", "body": body[9:]})

    async def keep(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept", accepts.encode()), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    asyncio.run(FirstPaint(serve)(scope, keep, keep))
    return dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent), asked


@pytest.mark.parametrize(
    ("accepts", "kind", "body", "is_changed"),
    [
        ("text/html", "text/html; charset=utf-8", PAGE, True),
        ("text/html", "text/html; charset=utf-8", b"<head></head>a page of a route", False),
        ("text/html", "text/csv", b'</head>id="root"', False),
        ("*/*", "text/html; charset=utf-8", PAGE, False),
    ],
)
def test_the_first_paint(accepts: str, kind: str, body: bytes, is_changed: bool) -> None:
    headers, got, asked = served(body, accepts, kind)
    style = (ROOT / "assets" / "page" / "first_paint.css").read_bytes()
    assert (got != body) == is_changed == (style in got)
    assert headers[b"content-length"] == b"%d" % len(got)
    assert (b"accept-encoding" in asked) == (accepts == "*/*")


@pytest.mark.parametrize(
    ("base", "path", "up"),
    [
        ("", "/", None),
        ("", "/scores", b"'.'"),
        ("", "/scores/", b"'..'"),
        ("lab", "/lab", None),
        ("lab", "/lab/", None),
        ("/lab/", "/lab/scores", b"'.'"),
    ],
)
def test_a_deep_link_knows_where_its_server_is(
    monkeypatch: pytest.MonkeyPatch, base: str, path: str, up: bytes | None
) -> None:
    configure(monkeypatch, baseUrlPath=base)
    _, page, _ = served(PAGE, path=path)
    assert (b"BACKEND_BASE_URL" in page) == (up is not None)
    assert up is None or b"new URL(%s,location)" % up in page


def test_the_process_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int | str] = []
    monkeypatch.setattr(server, "raise_file_limit", lambda: done.append("files"))
    monkeypatch.setattr(server, "bound_connections", lambda: done.append("connections"))
    monkeypatch.setattr(gc, "set_threshold", done.append)
    server.set_limits()
    assert done == [5_000, "files", "connections"]


@pytest.mark.parametrize(
    ("headless", "opened"), [(False, ["http://localhost:8599/lab"]), (True, [])]
)
def test_the_browser_of_this_machine_opens(
    monkeypatch: pytest.MonkeyPatch, headless: bool, opened: list[str]
) -> None:
    found: list[str] = []
    configure(monkeypatch, headless=headless, baseUrlPath="lab")
    monkeypatch.setattr(server.webbrowser, "open", found.append)
    monkeypatch.setattr(server, "SECONDS_TO_START", 0)

    async def start() -> None:
        async with server.open_browser(st.App("attention_ui/main_script.py")):
            await asyncio.sleep(0.2)

    asyncio.run(start())
    assert found == opened


@pytest.mark.parametrize(
    ("listens_on", "link"),
    [
        ("localhost", None),
        ("127.0.0.1", None),
        ("0.0.0.0", "http://192.0.2.9:8599"),
        (None, "http://192.0.2.9:8599"),
        ("192.0.2.7", "http://192.0.2.7:8599"),
    ],
)
def test_an_open_server_prints_the_link_to_give_out(
    monkeypatch: pytest.MonkeyPatch, listens_on: str | None, link: str | None
) -> None:
    configure(monkeypatch, address=listens_on)
    monkeypatch.setattr(network, "network_address", lambda: "192.0.2.9")
    assert network.is_open() == (link is not None)
    assert (link or "") in network.opening_notice()
    assert bool(network.opening_notice()) == network.is_open()


def test_the_address_is_this_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    found = network.network_address()
    assert found == "localhost" or socket.inet_aton(found)

    def unreachable(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(socket.socket, "connect", unreachable)
    assert network.network_address() == "localhost"


def test_the_bound_on_open_files_is_raised_as_far_as_needed_and_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no such bound")
    asked: list[object] = []

    def refuses(what: int, bounds: tuple[int, int]) -> None:
        asked.append(bounds)
        raise ValueError

    monkeypatch.setattr(resource, "setrlimit", refuses)
    endless = resource.RLIM_INFINITY
    for found in ((20_000, 20_000), (256, 1_000), (256, endless), (-1, endless)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, found=found: found)
        server.raise_file_limit()
    assert asked == [(1_000, 1_000), (8192, endless)]


def test_unused_rooms_go_also_where_nobody_opens_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLACE_VARIABLE, str(tmp_path / "classes.sqlite3"))
    housekeeping.delete_unused_rooms()
    assert not class_place().exists()
    rooms = room_service().rooms
    rooms.open()
    days = [0]
    begun = rooms.clock()
    monkeypatch.setattr(rooms, "clock", lambda: begun + days[0] * 86_400)

    async def sleep(seconds: float) -> None:
        days[0] += 1
        if days[0] > 2:
            raise asyncio.CancelledError

    monkeypatch.setattr(housekeeping.asyncio, "sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(housekeeping.every(300.0, housekeeping.delete_unused_rooms))
    assert rooms.store.read("SELECT * FROM rooms") == []


def test_what_is_kept_of_streamlit_is_what_it_makes() -> None:
    remember_what_never_changes()
    kept: Any = app_session._populate_theme_msg
    for section in ("theme", "theme.light", "theme.dark.sidebar", "theme.light"):
        ours, theirs = CustomThemeConfig(), CustomThemeConfig()
        kept(ours, section)
        kept.__wrapped__(theirs, section)
        assert ours == theirs
    assert ours.primary_color
    page: Any = st.Page.__new__(st.Page)
    page._url_path = "scores"
    assert page._script_hash == page._script_hash == calc_hash("scores")


def test_the_session_of_an_app_is_seen_as_it_is() -> None:
    app = AppTest.from_function(_look_at_the_session).run()
    assert not app.exception
    assert json.loads(app.text[0].value) == {"own": 3, "field": None, "chosen": "b"}
    assert json.loads(app.text[1].value) == ["chosen", "field", "own"]


def _look_at_the_session() -> None:
    import json

    import streamlit as st

    from attention_ui.streamlit_private import session_values

    st.session_state.update({"own": 3, "field": None})
    st.number_input("A field that is empty", value=2, key="field")
    st.selectbox("A choice", ["a", "b"], index=1, key="chosen")
    st.text(json.dumps(session_values()))
    st.text(json.dumps(sorted(st.session_state)))
    assert st.session_state.to_dict() == session_values()
    assert len(st.session_state) == 3
