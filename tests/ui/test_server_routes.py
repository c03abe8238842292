"""Streamlit's server takes routes of ours while it runs. If this fails, look at
`attention_ui/server_routes.py`.
"""

from __future__ import annotations

import asyncio
from unittest.mock import MagicMock

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_app import create_starlette_app

from attention_ui import server_routes
from tests.ui.asking import asked


async def hello(_request: Request) -> PlainTextResponse:
    """What the route of the tests answers."""
    return PlainTextResponse("hello")


def test_a_route_is_added_to_the_running_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's server is found among all objects, answers the route before its own pages, and
    gets it once; a server of anybody else is left alone.
    """
    server, other = create_starlette_app(MagicMock()), Starlette()
    monkeypatch.setattr(server_routes, "exists", lambda: True)
    monkeypatch.setattr(server_routes, "_asked", set())
    before = len(server.routes)
    for _ in range(2):
        server_routes.add_routes([Route("/hello-of-tests", hello)])
    assert server in server_routes.servers()
    assert (len(server.routes) - before, len(other.routes)) == (1, 0)
    answer = asyncio.run(asked(server, "/hello-of-tests"))
    assert (answer.status, answer.body) == (200, b"hello")


def test_without_a_server_nothing_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that runs in a test, or in a notebook, gets no routes."""
    monkeypatch.setattr(server_routes, "exists", lambda: False)
    monkeypatch.setattr(server_routes, "_asked", set())
    monkeypatch.setattr(server_routes, "servers", lambda: 1 / 0)
    server_routes.add_routes([Route("/hello-of-tests", hello)])


@pytest.mark.parametrize(("setting", "before"), [("", ""), ("lab", "/lab"), ("/a/b/", "/a/b")])
def test_the_path_of_the_whole_app_stands_before(
    monkeypatch: pytest.MonkeyPatch, setting: str, before: str
) -> None:
    """Behind a proxy the app may have a folder of its own."""
    monkeypatch.setattr(server_routes.config, "get_option", lambda name: setting)
    assert server_routes.base_path() == before
