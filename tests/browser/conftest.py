"""A running app and a real Chromium; every page that a test opens is watched."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright._impl._driver import compute_driver_executable
from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from scripts.build_site import BuildError, build
from scripts.find_chromium import FLAGS, find_chromium
from scripts.shared import begin, end, place_of, shared
from tests.browser.driving import LOOKING, StepAt, Visit, naming, opened, settled
from tests.browser.story_page import story_opened
from tests.browser.watched_app import BEYOND

ROOT = Path(__file__).resolve().parents[2]
WINDOW: ViewportSize = {"width": 1440, "height": 1000}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# A step is whole on arrival; test_guess.py tests what is asked before.
NO_GUESSES = "try { sessionStorage.setItem('attention-asks', 'false'); } catch {}"
MS_TO_WAIT = 60_000  # at most; a machine that does other work, too, is slow
FAILED = pytest.StashKey[bool]()
# What browser and Streamlit write to the console where a test has ended their server, or asks for a
# page that there is not.
PROVOKED = (
    *("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET"),  # the latter of a request under way
    "Client Error in reaching server",
    "Is Streamlit still running?",
    "does not seem to exist",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; the one that runs under Node asks for no fixture."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and isinstance(item, pytest.Function) and item.fixturenames:
            item.add_marker(pytest.mark.browser)


@contextmanager
def running_app(folder: Path, port: int = 0) -> Iterator[str]:
    """The app started as a user does, on this or a free port; at the end its log must hold no
    traceback, and nothing that left this machine.
    """
    port = port or free_port()
    server = started(folder, port)
    try:
        app_url = f"http://localhost:{port}"
        assert answers(server, app_url), f"the app did not start:\n{log_in(folder)}"
        yield app_url
    finally:
        end(server.pid)
    expect_clean(folder)


def log_in(folder: Path) -> str:
    """What the app with this folder has said."""
    return (folder / "server.log").read_text(encoding="utf-8")


def expect_clean(folder: Path) -> None:
    """An app that has ended said nothing that a maintainer would have to look at."""
    said = log_in(folder)
    assert "Traceback" not in said, said
    assert BEYOND not in said, said


def started(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """The process of an app on a port, with log and rooms in a folder."""
    options = ["--server.port", str(port), "--server.headless", "true"]
    command = [sys.executable, "-m", "tests.browser.watched_app", *options]
    # Rooms of a test are no business of who runs it.
    environment = {"ATTENTION_LAB_CLASSES": str(folder / "classes.sqlite3"), **os.environ}
    return begin(command, folder / "server.log", cwd=ROOT, env=environment)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


def answers(server: subprocess.Popen[bytes], app_url: str) -> bool:
    """Whether the server gets ready; at most a minute."""
    for _ in range(300):
        if server.poll() is not None:
            return False
        try:
            with urlopen(f"{app_url}/_stcore/health", timeout=5) as reply:
                return bool(reply.status == 200)
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    return False


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of an app that all tests of all processes share."""
    folder = place_of(tmp_path_factory.getbasetemp())

    def start() -> list[str]:
        url = f"http://localhost:{(port := free_port())}"
        server = started(folder, port)
        assert answers(server, url), f"the app did not start:\n{log_in(folder)}"
        return [url, str(server.pid)]

    def stop(found: list[str]) -> None:
        end(int(found[1]))
        expect_clean(folder)

    with shared(folder / "app", start, stop) as (url, _):
        yield url


@pytest.fixture
def fresh_url(tmp_path: Path) -> Iterator[str]:
    """The URL of an app that nobody has visited yet."""
    with running_app(tmp_path) as url:
        yield url


class Quiet(SimpleHTTPRequestHandler):
    """Serves the repository and logs nothing."""

    def do_GET(self) -> None:
        """A file; the icon that every browser asks for is not there."""
        if self.path == "/favicon.ico":
            self.send_response(HTTPStatus.NO_CONTENT)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path, kind: type[Quiet] = Quiet) -> Iterator[str]:
    """The URL at which the files of a folder can be read."""
    with ThreadingHTTPServer(("localhost", 0), partial(kind, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a site below a path, one for all processes."""
    place = place_of(tmp_path_factory.getbasetemp())

    def start() -> list[str]:
        folder = tmp_path_factory.mktemp("served")
        build(folder / "course" / "lab")
        return [str(folder)]

    try:
        with shared(place / "site", start, lambda found: None) as (folder,):
            yield Path(folder)
    except BuildError as error:
        pytest.skip(f"not run, because Pyodide could not be fetched: {error}")


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[str]:
    """The URL of the site, served by a plain web server."""
    with served(built) as url:
        yield f"{url}/course/lab"


@pytest.fixture(scope="session")
def files() -> Iterator[str]:
    """The URL at which the files of the repository can be read."""
    with served(ROOT) as url:
        yield url


@pytest.fixture(scope="session")
def browser_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the tests of all processes reach one Chromium."""
    folder = place_of(tmp_path_factory.getbasetemp())

    def start() -> list[str]:
        options = folder / "chromium.json"
        options.write_text(json.dumps({"executablePath": find_chromium(), "args": FLAGS}))
        # The driver itself: the command `playwright` would leave it behind.
        command = [*compute_driver_executable(), "launch-server", "--browser", "chromium"]
        said = folder / "chromium.log"
        browser = begin([*command, "--config", str(options)], said)
        for _ in range(300):
            if (url := said.read_text()).endswith("\n"):
                return [url.strip(), str(browser.pid)]
            assert browser.poll() is None, f"Chromium did not start: {url}"
            time.sleep(0.1)
        raise AssertionError(f"Chromium does not answer: {said.read_text()}")

    with shared(folder / "chromium", start, lambda found: end(int(found[1]))) as (url, _):
        yield url


@pytest.fixture(scope="session")
def context(browser_url: str) -> Iterator[BrowserContext]:
    """One Chromium profile of a process, so that the app's files are loaded once."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect(browser_url)
        context = browser.new_context(viewport=WINDOW, color_scheme="light")
        for script in (NO_GUESSES, LOOKING):
            context.add_init_script(script)
        context.set_default_timeout(MS_TO_WAIT)
        expect.set_options(timeout=MS_TO_WAIT)  # which knows nothing of that one
        yield context
        browser.close()


@pytest.fixture(scope="session")
def idle_tabs() -> list[Page]:
    """The tab that the tests of a process use one after the other; it is here between two tests."""
    return []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember of a test that it failed."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def page(
    context: BrowserContext, idle_tabs: list[Page], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """An empty tab. At its end: no request went to another machine, no script failed, no dialog of
    a script opened, no error was written to the console.

    A tab is used again, unless its test failed: a new one takes twice as long to show the app.
    """
    tab = idle_tabs.pop() if idle_tabs else context.new_page()
    with watched(tab) as faults:
        yield tab
        if request.node.stash.get(FAILED, False):
            tab.close()
        else:
            idle_tabs.append(emptied(tab))
    assert faults == []


@contextmanager
def another_tab(context: BrowserContext, script: str = NO_GUESSES, **kind: Any) -> Iterator[Page]:
    """A tab of a visitor of their own, who has no storage yet, on a device of a kind."""
    assert context.browser
    visitor = context.browser.new_context(**kind)
    for one in (script, LOOKING):
        visitor.add_init_script(one)
    visitor.set_default_timeout(MS_TO_WAIT)
    tab = visitor.new_page()
    with watched(tab) as faults:
        yield tab
    visitor.close()
    assert faults == []


@pytest.fixture
def phone(context: BrowserContext) -> Iterator[Page]:
    """A tab of a phone, with a finger instead of a mouse."""
    with another_tab(context, **PHONE) as tab:
        yield tab


@contextmanager
def watched(tab: Page) -> Iterator[list[str]]:
    """What a tab does that it must not do."""
    faults: list[str] = []

    def at_request(request: Request) -> None:
        if not at_home(request.url):
            faults.append(f"request to {request.url}")

    def at_dialog(dialog: Dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def at_error(error: Error) -> None:
        faults.append(f"script error: {error}")

    def at_message(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(sign in message.text for sign in PROVOKED):
            faults.append(f"in the console: {message.text} {message.location['url']}")

    listeners = {
        "request": at_request,
        "pageerror": at_error,
        "dialog": at_dialog,
        "console": at_message,
    }
    for event, listener in listeners.items():
        tab.on(event, listener)
    yield faults
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)


def emptied(tab: Page) -> Page:
    """A tab as if it were new: without page, history, storage, routes and emulation."""
    tab.unroute_all(behavior="ignoreErrors")
    tab.mouse.up()
    tab.mouse.move(0, 0)
    tab.evaluate("() => location.protocol !== 'about:' && sessionStorage.clear()")
    tab.goto("about:blank")
    session = tab.context.new_cdp_session(tab)
    session.send("Page.resetNavigationHistory")
    session.detach()
    tab.set_viewport_size(WINDOW)
    tab.emulate_media(media="null", color_scheme="light", forced_colors="null")
    return tab


@pytest.fixture
def visit(page: Page, app_url: str) -> Visit:
    """Opens a path of the app and waits until everything is drawn; with the usual layer, unless the
    path names another: see `naming`.
    """

    def go(path: str) -> Page:
        page.goto(f"{app_url}/{naming(path)}")
        return settled(page)

    return go


@pytest.fixture(scope="session")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a process keeps the stories that it wrote."""
    return tmp_path_factory.mktemp("stories")


@pytest.fixture(params=["file", pytest.param("app", marks=pytest.mark.every_situation)])
def step_at(request: pytest.FixtureRequest) -> StepAt:
    """Opens a step in a tab: of the story as a file, where only the board matters and all is
    faster; before a release in the app, too.
    """
    if request.param == "file":
        folder = request.getfixturevalue("stories")
        return lambda tab, path: story_opened(tab, folder, path)
    url = request.getfixturevalue("app_url")
    return lambda tab, path: opened(tab, f"{url}/{naming(path)}")


@pytest.fixture
def go(page: Page, app_url: str) -> Visit:
    """Like `visit`, but the tab stays in the app from the second path on: see `opened`."""
    return lambda path: opened(page, f"{app_url}/{naming(path)}")


def at_home(url: str) -> bool:
    """Whether a request stays on this machine."""
    parts = urlsplit(url)
    is_here = parts.hostname in ("localhost", "127.0.0.1")
    return is_here or parts.scheme in ("data", "blob", "about", "file")
