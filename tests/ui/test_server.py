"""What the app serves beside Streamlit, and how Streamlit finds it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.web.server.app_discovery import discover_asgi_app

from attention_ui import server
from tests.ui.app import ROOT


@pytest.fixture(autouse=True)
def _same_threshold() -> Iterator[None]:
    """What a test changes about the process is taken back."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_streamlit_finds_the_app() -> None:
    """`streamlit run app.py` takes app.py for a server of its own, not for a script, and make run
    calls it.
    """
    found = discover_asgi_app(ROOT / "app.py")
    assert (found.is_asgi_app, found.import_string) == (True, "app:app")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\t$(BIN)/python -m streamlit run app.py $(ARGS)\n" in makefile


def test_numpy_has_one_thread() -> None:
    """app.py sets it before NumPy is loaded, which is too late afterwards."""
    source = (ROOT / "app.py").read_text(encoding="utf-8").split("import streamlit")[0]
    told = "print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    code = f"import os, sys\n{source}\n{told}"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["1", "False"]


def test_the_process_is_prepared() -> None:
    """Python looks for cycles less often."""
    gc.set_threshold(700)
    server.set_limits()
    assert gc.get_threshold()[0] == 5_000


@pytest.mark.parametrize(
    ("headless", "opened"), [(False, ["http://localhost:8599/lab"]), (True, [])]
)
def test_the_browser_of_this_machine_opens(
    monkeypatch: pytest.MonkeyPatch, headless: bool, opened: list[str]
) -> None:
    """Unless the server is started without one."""
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
