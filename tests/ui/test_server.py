"""What the app serves beside Streamlit, and how Streamlit finds it."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.web.server.app_discovery import discover_asgi_app

from attention_ui import server
from attention_ui.server import PLOTLY, PLOTLY_JS, PLOTLY_URL, routes
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


def test_plotly_js_is_that_of_the_package() -> None:
    """The file is there, is plotly.js, and its URL names the version of the package."""
    assert b"plotly.js v" in PLOTLY_JS.read_bytes()[:200]
    assert PLOTLY.version in PLOTLY_URL


@pytest.mark.parametrize(("base", "path"), [("", "/lab/"), ("class/7/", "/class/7/lab/")])
def test_its_url_is_below_that_of_the_app(
    monkeypatch: pytest.MonkeyPatch, base: str, path: str
) -> None:
    """Also where a server has the app below a path."""
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.__getitem__)
    (route,) = routes()
    assert route.path == f"{path}{PLOTLY_URL.removeprefix('lab/')}"


def test_the_process_is_prepared() -> None:
    """Python looks for cycles less often."""
    gc.set_threshold(700)
    server.prepare()
    assert gc.get_threshold()[0] == 5_000
