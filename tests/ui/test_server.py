"""What the app serves beside Streamlit, and how Streamlit finds it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.web.server.app_discovery import discover_asgi_app

from attention_ui import server
from attention_ui.first_paint import FirstPaint
from tests.ui.app import ROOT


@pytest.fixture(autouse=True)
def _same_threshold() -> Iterator[None]:
    """What a test changes about the process is taken back."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_streamlit_finds_the_app() -> None:
    found = discover_asgi_app(ROOT / "app.py")
    assert (found.is_asgi_app, found.import_string) == (True, "app:app")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\t$(BIN)/python -m streamlit run app.py $(ARGS)\n" in makefile


def test_numpy_has_one_thread() -> None:
    source = (ROOT / "app.py").read_text(encoding="utf-8").split("import streamlit")[0]
    told = "print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    code = f"import os, sys\n{source}\n{told}"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["1", "False"]


@pytest.mark.parametrize(
    ("accepts", "kind", "body", "is_changed"),
    [
        ("text/html", "text/html; charset=utf-8", b'<head></head><div id="root">', True),
        ("text/html", "text/html; charset=utf-8", b"<head></head>a page of a route", False),
        ("text/html", "text/csv", b'</head>id="root"', False),
        ("*/*", "text/html; charset=utf-8", b'<head></head><div id="root">', False),
    ],
)
def test_the_first_paint(accepts: str, kind: str, body: bytes, is_changed: bool) -> None:
    sent: list[Any] = []
    asked: list[Any] = []

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        asked.extend(name for name, _ in scope["headers"])
        headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body[:9], "more_body": True})
        await send({"type": "http.response.body", "body": body[9:]})

    async def keep(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept", accepts.encode()), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "headers": headers}
    asyncio.run(FirstPaint(serve)(scope, keep, keep))
    got = b"".join(message.get("body", b"") for message in sent)
    style = (ROOT / "assets" / "page" / "first_paint.css").read_bytes()
    assert (got != body) == is_changed == (style in got)
    assert dict(sent[0]["headers"])[b"content-length"] == b"%d" % len(got)
    assert (b"accept-encoding" in asked) == (accepts == "*/*")


def test_the_process_is_prepared() -> None:
    gc.set_threshold(700)
    server.set_limits()
    assert gc.get_threshold()[0] == 5_000


@pytest.mark.parametrize(
    ("headless", "opened"), [(False, ["http://localhost:8599/lab"]), (True, [])]
)
def test_the_browser_of_this_machine_opens(
    monkeypatch: pytest.MonkeyPatch, headless: bool, opened: list[str]
) -> None:
    options = {
        "server.headless": headless,
        "server.port": 8599,
        "server.baseUrlPath": "lab",
        "server.sslCertFile": None,
        "browser.serverAddress": "localhost",
    }
    found: list[str] = []
    monkeypatch.setattr(st, "get_option", options.__getitem__)
    monkeypatch.setattr(server.webbrowser, "open", found.append)
    monkeypatch.setattr(server, "SECONDS_TO_START", 0)

    async def start() -> None:
        async with server.open_browser(st.App("attention_ui/main_script.py")):
            await asyncio.sleep(0.2)

    asyncio.run(start())
    assert found == opened
