"""Every test of the app also fails when something is logged that a maintainer would have to look
at.

And a page that shows a figure with a property that Plotly does not know raises an exception.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
import streamlit as st
from starlette.applications import Starlette
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime import context
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import local_script_runner

from attention_core import AttentionError
from attention_lab.classroom.store import PLACE_VARIABLE
from attention_ui import frame, show
from attention_ui.classroom import routes
from attention_ui.streamlit_private import remember_what_never_changes
from attention_viz.theme import Figure
from tests.ui.app import ERRORS_SHOWN


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[str]]:
    """What is logged at WARNING or above, in any thread and by any logger; a test that expects
    some clears the list.
    """
    messages: list[str] = []
    make = logging.getLogRecordFactory()

    def remember(*args: object, **kwargs: object) -> logging.LogRecord:
        record = make(*args, **kwargs)
        if record.levelno >= logging.WARNING:
            messages.append(f"{record.getMessage()} {record.exc_info or ''}")
        return record

    logging.setLogRecordFactory(remember)
    yield messages
    logging.setLogRecordFactory(make)
    assert messages == []


@pytest.fixture(scope="session", autouse=True)
def _one_server() -> Iterator[None]:
    """Do once what a server does once and AppTest for every app or run: look for components,
    compile the pages, look for their files. Wait for the end of a run without looking a thousand
    times a second, and leave out a warning that Streamlit has for who uses its modules without an
    app.

    Of 115 ms for an app that is opened, 70 went into reading about every installed package, 10 into
    compiling, 20 into the rest.
    """
    remember_what_never_changes()
    look = local_script_runner.require_widgets_deltas

    def wait(runner: Any, timeout: float) -> None:
        runner._script_thread.join(timeout)
        look(runner, 0 if runner._script_thread.is_alive() else 1)

    found, scripts, compiled = (
        manifest_scanner.scan_component_manifests(),
        ScriptCache(),
        ScriptCache.get_bytecode,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        patch.setattr(ScriptCache, "get_bytecode", lambda _, path: compiled(scripts, path))
        patch.setattr(frame, "app_pages", cache(frame.app_pages))
        patch.setattr(context, "_get_client_context", lambda: None)  # else a mock of a browser
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        patch.setattr(script_run_context._LOGGER, "disabled", True)
        yield


@pytest.fixture(scope="session", autouse=True)
def _figures_checked() -> Iterator[None]:
    """Have Plotly check the properties of every figure that a page shows, once for equal
    figures.
    """
    make = show.figure_json

    def checked(*figure: Any) -> Figure:
        sent = make(*figure)
        assert sent["data"], "a figure must show something"
        _check(json.dumps(sent))
        return sent

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(show, "figure_json", checked)
        yield


@pytest.fixture(scope="session", autouse=True)
def _errors_remembered() -> Iterator[None]:
    """Keep the error behind every box that shows one, so that a test can ask for its class."""
    escape = show.escape_markdown

    def remember(text: str) -> str:
        if isinstance(error := sys.exception(), AttentionError):
            ERRORS_SHOWN[escape(text)] = error
        return escape(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(show, "escape_markdown", remember)
        yield


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The files that a page offers: what makes each, by its name."""
    offered: dict[str, Any] = {}
    monkeypatch.setattr(
        st, "download_button", lambda _, make, name, *__, **___: offered.setdefault(name, make)
    )
    return offered


@cache
def _check(figure: str) -> None:
    go.Figure(json.loads(figure))


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Starlette:
    """The routes alone, with a file of rooms of their own."""
    monkeypatch.setenv(PLACE_VARIABLE, str(tmp_path / "classes.sqlite3"))
    monkeypatch.setattr(routes, "MAX_WAIT", 0.3)
    return Starlette(routes=list(routes.class_routes()))
