"""What becomes of a connection before the app sees it: how long a message of a page may be, how
many connections one network may have, and whose word is taken for a visitor's address.

uvicorn, which Streamlit brings, has one bound of messages for both directions and none for a
network, and believes every program of this machine. The names of uvicorn that are replaced here are
not documented; `tests/ui/test_connections.py` fails when they change.
"""

import asyncio
import os
import sys
from collections import Counter
from typing import Any

import uvicorn.config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets import websockets_sansio_impl

from attention_lab.classroom.limits import network_of

# The largest message that a page needs brings the 4,000 edits of a table (`MAX_EDITS`) in one
# paste: 4,096 numbers took 103 kB. Besides them it holds the query, of at most 64 kB in a request.
MAX_MESSAGE_BYTES = 2**18
# Of 8,192 that a process may have, so that others find room beside a flood. A browser has eight
# while a page loads, and a process serves 400 of them.
MAX_CONNECTIONS_OF_NETWORK = 5000
PROXIES_VARIABLE, PROXIES_OPTION = "FORWARDED_ALLOW_IPS", "--forwarded-allow-ips"
UVICORNS_PROXIES = "127.0.0.1,::1"


def bound_connections() -> None:
    """Set the bounds; before the server takes its first connection."""
    config: Any = uvicorn.config
    config.ProxyHeadersMiddleware = NamedProxies
    websockets: Any = websockets_sansio_impl
    make = websockets.ServerProtocol
    websockets.ServerProtocol = lambda **about: make(**about | {"max_size": MAX_MESSAGE_BYTES})
    connections = Connections()
    for kind in (AutoHTTPProtocol, websockets.WebSocketsSansIOProtocol):
        connections.watch(kind)


class NamedProxies(ProxyHeadersMiddleware):
    """Takes a visitor's address from `X-Forwarded-For` of a proxy that somebody has named."""

    trusted: Any = ()  # whose word is taken in this process

    def __init__(self, app: Any, trusted_hosts: list[str] | str) -> None:
        super().__init__(app, named_proxies(trusted_hosts))
        NamedProxies.trusted = self.trusted_hosts


def named_proxies(told: list[str] | str) -> list[str] | str:
    """The proxies that the variable or the option names. told: those of uvicorn, which believes
    this machine if nobody names one.
    """
    is_named = os.environ.get(PROXIES_VARIABLE) is not None or any(
        argument.startswith(PROXIES_OPTION) for argument in sys.argv
    )
    return [] if told == UVICORNS_PROXIES and not is_named else told


class Connections:
    """How many connections each network has; one beyond the bound is closed at once. Those of a
    named proxy are those of many, so it has to count itself.
    """

    def __init__(self, most: int = MAX_CONNECTIONS_OF_NETWORK) -> None:
        self.most = most
        self.of_network: Counter[str] = Counter()
        self._known: dict[asyncio.BaseTransport, str] = {}

    def watch(self, kind: Any) -> None:
        """Count the connections of a kind of protocol."""
        made, lost = kind.connection_made, kind.connection_lost

        def connection_made(self_: Any, transport: Any) -> None:
            made(self_, transport)
            self._add(self_.transport, self_.client)

        def connection_lost(self_: Any, error: Exception | None) -> None:
            self._remove(self_.transport)
            lost(self_, error)

        kind.connection_made, kind.connection_lost = connection_made, connection_lost

    def _add(self, transport: Any, client: tuple[str, int] | None) -> None:
        host = client[0] if client else None
        if transport in self._known or host in NamedProxies.trusted:
            return  # a connection that becomes a websocket is made twice
        network = network_of(host)
        self._known[transport] = network
        self.of_network[network] += 1
        if self.of_network[network] > self.most:
            transport.abort()

    def _remove(self, transport: Any) -> None:
        network = self._known.pop(transport, None)
        if network is not None:
            self.of_network[network] -= 1
            if not self.of_network[network]:
                del self.of_network[network]
