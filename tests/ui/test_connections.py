"""A real uvicorn with the bounds of the app: long messages, many connections, whose address."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
import uvicorn.config
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from streamlit.web.server.starlette import starlette_server
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets import websockets_sansio_impl
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from attention_ui import connections
from attention_ui.connections import MAX_MESSAGE_BYTES, PROXIES_VARIABLE, NamedProxies

FORWARDED = "X-Forwarded-For: 203.0.113.5\r\n"


@pytest.fixture(autouse=True)
def _bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds of the app, for one test, with five connections for a network."""
    kept = (
        (uvicorn.config, "ProxyHeadersMiddleware"),
        (websockets_sansio_impl, "ServerProtocol"),
        (AutoHTTPProtocol, "connection_made"),
        (AutoHTTPProtocol, "connection_lost"),
        (websockets_sansio_impl.WebSocketsSansIOProtocol, "connection_made"),
        (websockets_sansio_impl.WebSocketsSansIOProtocol, "connection_lost"),
        (NamedProxies, "trusted"),
    )
    for place, name in kept:
        monkeypatch.setattr(place, name, getattr(place, name))
    monkeypatch.setattr(connections.Connections.__init__, "__defaults__", (5,))
    monkeypatch.delenv(PROXIES_VARIABLE, raising=False)
    connections.bound_connections()


async def tell_address(request: Request) -> PlainTextResponse:
    """Who asks."""
    assert request.client
    return PlainTextResponse(request.client.host)


async def count_bytes(websocket: WebSocket) -> None:
    """Answer each message by its length."""
    await websocket.accept()
    with contextlib.suppress(Exception):
        while True:
            await websocket.send_text(str(len(await websocket.receive_bytes())))


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    """The port of a server as Streamlit starts it."""
    app = Starlette(routes=[Route("/", tell_address), WebSocketRoute("/stream", count_bytes)])
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        about = starlette_server._get_uvicorn_config_kwargs()
        # No logging of its own: it would undo what other tests have set.
        quiet = {"log_config": None, "log_level": "critical", "lifespan": "off"}
        config = uvicorn.Config(app, **about | quiet)
        server = uvicorn.Server(config)
        server.capture_signals = contextlib.nullcontext  # type: ignore[assignment]
        running = asyncio.create_task(server.serve([listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        yield listening.getsockname()[1]
        server.should_exit = True
        await running


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection, also one that the server has closed."""
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def asked(
    port: int, headers: str = "", stays: list[asyncio.StreamWriter] | None = None
) -> str:
    """What the server answers; nothing if it closes the connection. stays: keeps it open."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET / HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().split("content-length:")[1].split()[0])
        body = (await reader.readexactly(length)).decode()
    except (asyncio.IncompleteReadError, ConnectionError):
        body = ""
    if body and stays is not None:
        stays.append(writer)
    else:
        await closed(writer)
    return body


async def parts(*sizes: int) -> AsyncIterator[bytes]:
    """A message in parts, of which the last does not come."""
    for size in sizes:
        yield bytes(size)
    await asyncio.sleep(60)


def test_a_message_that_no_page_needs_is_refused_before_it_is_there() -> None:
    async def visit() -> tuple[list[str], list[int]]:
        answers, codes = [], []
        async with served() as port:
            url = f"ws://127.0.0.1:{port}/stream"
            for message in (bytes(MAX_MESSAGE_BYTES + 1), parts(MAX_MESSAGE_BYTES, 1)):
                async with connect(url, compression=None, ping_interval=None) as visitor:
                    for size in (10, MAX_MESSAGE_BYTES):
                        await visitor.send(bytes(size))
                        answers.append(str(await visitor.recv()))
                    sending = asyncio.create_task(visitor.send(message))
                    with pytest.raises(ConnectionClosedError) as ended:
                        await visitor.recv()
                    codes += [ended.value.rcvd.code if ended.value.rcvd else 0]
                    sending.cancel()
                    with contextlib.suppress(asyncio.CancelledError, ConnectionClosedError):
                        await sending
        return answers, codes

    answers, codes = asyncio.run(asyncio.wait_for(visit(), 20))
    assert answers == ["10", str(MAX_MESSAGE_BYTES)] * 2
    assert codes == [1009, 1009]


def test_a_network_has_so_many_connections() -> None:
    async def visit() -> tuple[list[str], list[str], list[str]]:
        async with served() as port:
            stay: list[asyncio.StreamWriter] = []
            url = f"ws://127.0.0.1:{port}/stream"
            async with connect(url, ping_interval=None):  # counts as one
                first = [await asked(port, stays=stay) for _ in range(4)]
                beyond = [await asked(port) for _ in range(2)]
                await asyncio.gather(*map(closed, stay))
                await asyncio.sleep(0.05)
                again = [await asked(port) for _ in range(6)]
            return first, beyond, again

    first, beyond, again = asyncio.run(asyncio.wait_for(visit(), 20))
    assert (first, beyond) == (["127.0.0.1"] * 4, ["", ""])
    assert again == ["127.0.0.1"] * 6


@pytest.mark.parametrize(
    ("named", "seen"),
    [
        (None, "127.0.0.1"),
        ("", "127.0.0.1"),
        ("192.0.2.1", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.5"),
        ("127.0.0.1,::1", "203.0.113.5"),
        ("*", "203.0.113.5"),
    ],
)
def test_only_a_named_proxy_says_who_a_visitor_is(
    monkeypatch: pytest.MonkeyPatch, named: str | None, seen: str
) -> None:
    """A named proxy may also have more connections than one network."""
    if named is not None:
        monkeypatch.setenv(PROXIES_VARIABLE, named)

    async def visit() -> list[str]:
        async with served() as port:
            stay: list[asyncio.StreamWriter] = []
            found = [await asked(port, FORWARDED, stay) for _ in range(7)]
            await asyncio.gather(*map(closed, stay))
            return found

    found = asyncio.run(asyncio.wait_for(visit(), 20))
    assert found == ([seen] * 7 if seen != "127.0.0.1" else [seen] * 5 + [""] * 2)


def test_a_proxy_may_be_named_by_the_option_of_uvicorn(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "127.0.0.1,::1"
    assert connections.named_proxies(told) == []
    monkeypatch.setattr("sys.argv", ["uvicorn", "app:app", f"--forwarded-allow-ips={told}"])
    assert connections.named_proxies(told) == told
    assert connections.named_proxies("192.0.2.1") == "192.0.2.1"
