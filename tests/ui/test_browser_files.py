"""What the server answers beside Streamlit: where it is, and plotly.js."""

from __future__ import annotations

import asyncio

import pytest
import streamlit as st
from starlette.applications import Starlette

from attention_ui.browser_files import PLOTLY, PLOTLY_JS, PLOTLY_URL, base_path, plotly_route
from tests.ui.asking import asked


@pytest.mark.parametrize(("setting", "before"), [("", ""), ("lab", "/lab"), ("/a/b/", "/a/b")])
def test_the_path_of_the_whole_app_stands_before(
    monkeypatch: pytest.MonkeyPatch, setting: str, before: str
) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": setting}.__getitem__)
    assert base_path() == before
    assert plotly_route().path == f"{before}/{PLOTLY_URL}"


def test_plotly_js_is_that_of_the_package() -> None:
    answer = asyncio.run(asked(Starlette(routes=[plotly_route()]), f"/{PLOTLY_URL}"))
    assert answer.status == 200
    assert b"plotly.js v" in answer.body[:200]
    assert answer.body == PLOTLY_JS.read_bytes()
    assert PLOTLY.version in PLOTLY_URL
    assert "immutable" in answer.headers["cache-control"]
