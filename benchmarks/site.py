"""The static site: what is sent, the time until the first picture of some pages and until the
engine answers, and from a change of heads to its picture, beside the app on the same machine.
"""

import gzip
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread
from typing import ClassVar

from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright

from scripts.build_site import build
from scripts.find_chromium import find_chromium

from ._servers import served

ROUNDS = 5
WINDOW: ViewportSize = {"width": 1366, "height": 768}
# Pages whose first picture is measured: boards of the story, of the model, and charts.
PAGES = ("overview", "softmax", "whole-model", "why-this-word", "geometry", "propositions")
PICTURE = "section.board .panel, .js-plotly-plot .main-svg"
LATER = ("pyodide/", "worker.js", "later.js", "sw.js")
SLIDERS = {"site": "#controls [name=n_heads]", "app": ".st-key-offered_heads input"}
# Milliseconds from a key in a field until what some elements say is other, and drawn. They may lie
# in the shadow root of a place.
CHANGE_JS = """([field, place, elements]) => {
  const said = () => [...place.getRootNode().querySelectorAll(elements)].map(one => one.innerText);
  return {time: new Promise(done => field.addEventListener("keydown", () => {
    const before = said().join(), start = performance.now();
    const look = () => requestAnimationFrame(() => said().join() === before ? look()
      : requestAnimationFrame(() => done(performance.now() - start)));
    look();
  }, {once: true}))};
}"""


class Noting(SimpleHTTPRequestHandler):
    """Serves a folder and notes the files that it sends."""

    sent: ClassVar[list[str]] = []

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Note the file, if the browser did not have it."""
        if code == HTTPStatus.OK:
            self.sent.append(self.path.split("?")[0].strip("/") or "index.html")


@contextmanager
def site_in_browser() -> Iterator[tuple[Browser, str, Path]]:
    """A browser, the URL of the site, which is built and served, and its folder."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        build(Path(name))
        server = ThreadingHTTPServer(("localhost", 0), partial(Noting, directory=name))
        Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=find_chromium())
        yield browser, f"http://localhost:{server.server_port}/", Path(name)
        server.shutdown()
        browser.close()


def opened_page(browser: Browser, url: str, kind: str, ready: str) -> Page:
    """A page of the app or the site when it has settled, with what is waited for and the engine."""
    page = browser.new_page(viewport=WINDOW)
    page.goto(url)
    page.wait_for_selector(ready)
    if kind == "site":
        page.wait_for_selector("#files", timeout=120_000)
    page.wait_for_timeout(3_000)
    return page


def main() -> None:
    """Measure and print."""
    with site_in_browser() as (browser, url, folder):
        _print_sizes(folder)
        ready = [_opened(browser, url, "#files")[0] for _ in range(ROUNDS)]
        print(f"engine ready {median(ready):.0f} ms")
        for path in PAGES:
            _print_first(browser, url, path, folder)
        with served() as app:
            pages = {"site": f"{url}?n_heads=1&d_model=16#split"}
            pages["app"] = f"{app.address}/split?n_heads=1&d_model=16"
            acts = {one: _acts(browser, address, one) for one, address in pages.items()}
        print(f"a change of heads: {acts}; site / app {acts['site'] / acts['app']:.2f}")


def _print_sizes(folder: Path) -> None:
    parts = {
        "first picture": ["*.html", "*.js", "*.css", "*.svg", "board/**/*.*", "first/overview.json"]
    }
    parts["engine"] = ["pyodide/*"]
    for name, patterns in parts.items():
        files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
        whole = sum(file.stat().st_size for file in files)
        print(f"{name}: {whole / 1e6:.2f} MB, compressed {_packed(files) / 1e6:.2f} MB")


def _print_first(browser: Browser, url: str, path: str, folder: Path) -> None:
    """Print what a page costs until its first picture."""
    rounds = [_opened(browser, f"{url}#{path}", PICTURE) for _ in range(ROUNDS)]
    first = {folder / name for name in rounds[-1][1] if not name.startswith(LATER)}
    charts = {one for one in first if "plotly" in one.parts}
    own, more = _packed(first - charts) / 1e6, _packed(charts) / 1e6
    taken = median(one for one, _ in rounds)
    print(
        f"{path}: first picture {taken:.0f} ms, {own:.2f} MB compressed, {more:.2f} MB more"
        " for charts"
    )


def _opened(browser: Browser, url: str, ready: str) -> tuple[float, list[str]]:
    """Milliseconds until something is seen, with an empty cache, and the files sent by then."""
    Noting.sent.clear()
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    start = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(ready, timeout=60_000)
    taken, sent = 1000 * (time.perf_counter() - start), [*Noting.sent]
    context.close()
    return taken, sent


def _packed(files: set[Path]) -> int:
    """The bytes of files, each compressed if that makes it smaller."""
    sizes = [file.read_bytes() for file in files]
    return sum(min(len(gzip.compress(one)), len(one)) for one in sizes)


def _acts(browser: Browser, url: str, kind: str) -> float:
    """The median milliseconds of a change of heads."""
    page = opened_page(browser, url, kind, "section.board .panel")
    field, board = page.locator(SLIDERS[kind]).first, page.locator("section.board").first
    times = [
        change_time(page, field, key, board, ".badge .sizes")
        for _ in range(ROUNDS)
        for key in ("ArrowRight", "ArrowLeft")
    ]
    page.close()
    return round(median(times), 1)


def change_time(page: Page, field: Locator, key: str, place: Locator, elements: str) -> float:
    """Milliseconds from a key in a field until what some elements say is other. place: in their
    document or shadow root. elements: as a selector.
    """
    about = [field.element_handle(), place.element_handle(), elements]
    taken = page.evaluate_handle(CHANGE_JS, about)
    field.press(key)
    milliseconds = float(taken.evaluate("taken => taken.time"))
    page.wait_for_timeout(1_000)
    return milliseconds
