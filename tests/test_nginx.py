"""A real nginx with the files of deploy/: whose address the app gets, what a network may do."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.browser.proxied import DEPLOY, NGINX, write_site

pytestmark = pytest.mark.skipif(not NGINX, reason="not run: this machine has no nginx")
Ask = Callable[..., tuple[int, str]]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class App(BaseHTTPRequestHandler):
    """An app that tells whose request it got. A path with "slow" is answered at the end."""

    end = Event()

    def do_GET(self) -> None:
        """Answer, or wait."""
        if "slow" in self.path:
            self.end.wait(20)
        body = str(self.headers["X-Forwarded-For"]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self) -> None:
        """Answer the same."""
        self.do_GET()

    def log_message(self, *given: object) -> None:
        """Say nothing."""


@contextmanager
def nginx(folder: Path, **changed: dict[str, str]) -> Iterator[Ask]:
    """What asks nginx before an app. changed: by the name of a file the texts in it and what
    stands in their place.
    """
    App.end = Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), App) as app, ExitStack() as ending:
        app.daemon_threads = True
        Thread(target=app.serve_forever, daemon=True).start()
        ending.callback(app.shutdown)
        ending.callback(App.end.set)
        port = free_port()
        write_site(folder, [app.server_port], port)
        main = (DEPLOY / "nginx-main.conf").read_text(encoding="utf-8")
        main = main.replace("/tmp/", f"{folder}/").replace("/dev/stdout", f"{folder}/access.log")
        main = main.replace("/etc/nginx/conf.d/*.conf", f"{folder}/site.conf")
        if os.getuid() == 0:
            main = f"user root;\n{main}"
        (folder / "main.conf").write_text(main, encoding="utf-8")
        for name, changes in changed.items():
            (file,) = folder.rglob(f"{name}.conf")
            text = file.read_text(encoding="utf-8")
            for old, new in changes.items():
                assert old in text
                text = text.replace(old, new)
            file.write_text(text, encoding="utf-8")
        command = [str(NGINX), "-c", str(folder / "main.conf"), "-p", str(folder), "-g"]
        server = subprocess.Popen([*command, "daemon off;"])
        ending.callback(server.wait, 20)
        ending.callback(server.terminate)

        def ask(path: str = "/", method: str = "GET", **headers: str) -> tuple[int, str]:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                connection.request(method, path, headers=headers)
                answer = connection.getresponse()
                return answer.status, answer.read().decode()

        for _ in range(100):
            try:
                ask()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        yield ask


PROXY = {"# set_real_ip_from 192.0.2.10;": "set_real_ip_from 127.0.0.1;"}


def test_a_visitor_is_who_a_named_proxy_says(tmp_path: Path) -> None:
    told = {"X-Forwarded-For": "198.51.100.7, 203.0.113.5"}
    for name, changed, seen in (
        ("unnamed", {}, "127.0.0.1"),
        ("named", {"proxies": PROXY}, "203.0.113.5"),  # the rest is what the visitor says
    ):
        (tmp_path / name).mkdir()
        with nginx(tmp_path / name, **changed) as ask:
            assert ask(**told) == (200, seen)


NETWORKS = [
    (["203.0.113.5", "203.0.113.6"], 2),
    (["2001:db8:1:2::1", "2001:db8:1:ffff::9"], 1),
    (["2001:db8:1::1", "2001:db8:2::1"], 2),
    (["2001:db8::1", "2001:db8::7:1"], 1),
]


def test_a_network_asks_for_news_so_often(tmp_path: Path) -> None:
    """Beyond its measure it gets 429; other networks are not affected."""
    few = {"burst=5000 delay=600;": "burst=1 nodelay;", "rate=200r/s;": "rate=1r/m;"}
    for place, (addresses, n_networks) in enumerate(NETWORKS):
        folder = tmp_path / str(place)
        folder.mkdir()
        with nginx(folder, proxies=PROXY, site=few) as ask:
            found = [
                ask("/class-room/state", **{"X-Forwarded-For": one})[0] for one in addresses * 3
            ]
            assert Counter(found) == {200: 2 * n_networks, 429: 6 - 2 * n_networks}
            assert ask(**{"X-Forwarded-For": addresses[0]})[0] == 200, "a page is no news"


def test_a_network_has_so_many_connections(tmp_path: Path) -> None:
    with nginx(
        tmp_path, proxies=PROXY, site={"limit_conn network 4000;": "limit_conn network 3;"}
    ) as ask:
        found = asked_at_once(ask, "/slow", "GET", "X-Forwarded-For", ["6.6.6.6"] * 5 + ["6.6.6.7"])
        assert found == [{200: 3, 429: 2}, {200: 1}]


def test_a_visitor_sends_few_files_at_a_time(tmp_path: Path) -> None:
    visitors = [f"lab_visitor={one}" for one in ("me", "me", "me", "me", "me", "me", "other")]
    with nginx(tmp_path) as ask:
        path = "/_stcore/upload_file/visit/slow"
        found = asked_at_once(ask, path, "PUT", "Cookie", visitors)
        assert found == [{200: 4, 429: 2}, {200: 1}]


def asked_at_once(
    ask: Ask, path: str, method: str, header: str, values: list[str]
) -> list[dict[int, int]]:
    """How often each status comes, first for those with the first value of a header, if nobody is
    answered before all others are refused.
    """
    with ThreadPoolExecutor(len(values)) as pool:
        asking = [pool.submit(ask, path, method, **{header: value}) for value in values]
        while sum(one.done() for one in asking) < 2:
            time.sleep(0.01)
        App.end.set()
        found = [one.result()[0] for one in asking]
    first = [status for status, value in zip(found, values, strict=True) if value == values[0]]
    return [dict(Counter(first)), dict(Counter(found[len(first) :]))]
