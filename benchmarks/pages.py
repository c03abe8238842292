"""The speed of the pages, each measured beside the least Streamlit can do and beside the usual
page, in one run.

Script time: one rerun under AppTest. Repaint: from a key press on the sequence-length slider in
Chromium until the last change in sight of the page's own content or of a picture in it (then one
frame). Bytes: what the server sends for it. The middle half of several presses.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import ViewportSize, sync_playwright
from streamlit.testing.v1 import AppTest

from attention_ui.registry import PAGES, SECTIONS, Page, page_of

from .rivals.usual import in_place_of_boards

ROOT = Path(__file__).parent.parent
RIVALS = ROOT / "benchmarks" / "rivals"
# what is served -> the module that runs a script, the script, and its page that is measured
SERVERS = {
    "floor": ("streamlit", RIVALS / "floor.py", ""),
    "usual": ("benchmarks.rivals.usual", ROOT / "app.py", "scores"),
    "app": ("streamlit", ROOT / "app.py", ""),
}
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WINDOW: ViewportSize = {"width": 1440, "height": 1000}
FIRST, PRESSES = 6, 12  # tokens, and key presses for one more each
QUIET = 450  # ms without a change of the page after which a repaint counts as finished

# Notes the time in ms from the key press to the last change in sight in the main block or on a
# canvas, plus one frame.
WATCH = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const watch = { start: 0, last: 0 };
  window.watch = watch;
  addEventListener("keydown", () => { watch.start = watch.last = performance.now(); }, true);
  const inSight = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  // elements of the page, looked at in the next frame, when all is laid out anyway
  const waiting = new Set();
  const changed = (node) => {
    if (!waiting.size) requestAnimationFrame(() => {
      if ([...waiting].some(inSight)) watch.last = performance.now();
      waiting.clear();
    });
    const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    waiting.add(element?.closest("[data-testid=stElementContainer]") ?? element ?? main);
  };
  const all = { childList: true, subtree: true, attributes: true, characterData: true };
  new MutationObserver((changes) => changes.forEach(({ target }) =>
    changed(target))).observe(main, all);
  const drawing = CanvasRenderingContext2D.prototype;
  for (const name of ["clearRect", "fillRect", "fillText", "drawImage", "putImageData"]) {
    const draw = drawing[name];
    drawing[name] = function (...given) { changed(this.canvas); return draw.apply(this, given); };
  }
}"""


@contextmanager
def served(name: str) -> Iterator[str]:
    """The address of a server that runs the app or a rival with the project's configuration."""
    module, script, _ = SERVERS[name]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        module,
        "run",
        str(script),
        f"--server.port={port}",
        "--server.headless=true",
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            address = f"http://localhost:{port}"
            for _ in range(100):
                try:
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                    break
                except OSError:
                    time.sleep(0.2)
            yield address
        finally:
            server.terminate()


def script_times(pages: Sequence[Page]) -> dict[str, float]:
    """Milliseconds of one rerun of each page under AppTest, median of 15 after a warm run."""
    times = {}
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    for page in pages:
        times[page.url_path] = _rerun(app.switch_page(page.path))
    with in_place_of_boards():
        times["usual"] = _rerun(app.switch_page(page_of(SERVERS["usual"][2]).path))
    times["floor"] = _rerun(AppTest.from_file(str(SERVERS["floor"][1]), default_timeout=60))
    return times


def _rerun(app: AppTest) -> float:
    app.run()
    return statistics.median(_timed(app) for _ in range(15))


def _timed(app: AppTest) -> float:
    start = time.perf_counter()
    app.run()
    return 1000 * (time.perf_counter() - start)


def repaint_times(pages: Sequence[Page], presses: int) -> dict[str, tuple[float, float]]:
    """Milliseconds from key press to repaint in Chromium, and the kilobytes received for it, by
    page.
    """
    found = {}
    with (
        served("app") as app,
        served("floor") as floor,
        served("usual") as usual,
        sync_playwright() as playwright,
    ):
        addresses = {"usual": f"{usual}/{SERVERS['usual'][2]}"}
        addresses |= {page.url_path: f"{app}/{page.url_path}" for page in pages}
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "chromium"), args=FLAGS
        )
        floors = []
        for place, (name, address) in enumerate(addresses.items()):
            if place % 10 == 0:  # other work on the machine makes fast and slow hours
                floors.append(_repaint(browser.new_page(viewport=WINDOW), floor, presses))
            found[name] = _repaint(browser.new_page(viewport=WINDOW), address, presses)
        browser.close()
    return {"floor": (statistics.fmean(time for time, _ in floors), floors[0][1])} | found


def _repaint(tab: BrowserPage, address: str, presses: int) -> tuple[float, float]:
    received: list[int] = []
    tab.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda payload: received.append(len(payload))),
    )
    tab.goto(f"{address}?n_tokens={FIRST}")
    _settle(tab)
    slider = _sequence_slider(tab)
    times, sizes = [], []
    for _ in range(presses):
        received.clear()
        slider.press(
            "ArrowRight"
        )  # always on: what was there a moment ago would be a message that is not sent again
        times.append(_settle(tab))
        sizes.append(sum(received) / 1000)
    tab.close()
    return _middle(times[2:]), _middle(sizes[2:])


def _middle(times: Sequence[float]) -> float:
    """The mean of the middle half; a median of the floor would jump between one frame and two."""
    quarter = len(times) // 4
    return statistics.fmean(sorted(times)[quarter : len(times) - quarter])


def _sequence_slider(tab: BrowserPage) -> Any:
    slider = tab.locator("input[type=range]").first
    slider.wait_for(timeout=30_000)
    slider.focus()
    tab.evaluate(WATCH)
    return slider


def _settle(tab: BrowserPage) -> float:
    """Wait until the page has been quiet for a while; the time of its last change after the
    last key press.
    """
    tab.wait_for_selector(
        '[data-testid=stApp][data-test-script-state="notRunning"]', timeout=30_000
    )
    if not tab.evaluate("() => Boolean(window.watch)"):
        tab.wait_for_timeout(4000)
        return 0.0
    tab.wait_for_function(f"() => performance.now() - window.watch.last > {QUIET}", timeout=30_000)
    return float(tab.evaluate("() => window.watch.last - window.watch.start"))


def main(arguments: Sequence[str] = ()) -> None:
    """Print one line per page: script time, repaint, the repaint beside floor and usual page,
    and the bytes.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks pages", description=__doc__)
    parser.add_argument("--presses", type=int, default=PRESSES, help="key presses per page")
    parser.add_argument(
        "--sections",
        nargs="*",
        default=list(SECTIONS),
        help="sections of the menu, for example story",
    )
    chosen = parser.parse_args(arguments)
    pages = [page for page in PAGES if page.section in chosen.sections]
    scripts, repaints = script_times(pages), repaint_times(pages, chosen.presses)
    print("| page | script, ms | repaint, ms | × floor | × usual page | kB |")
    print("|---|---|---|---|---|---|")
    for name, (repaint, size) in repaints.items():
        floor, usual = (repaint / repaints[rival][0] for rival in ("floor", "usual"))
        print(
            f"| {name} | {scripts[name]:.1f} | {repaint:.0f} | {floor:.2f} | {usual:.2f} |"
            f" {size:.1f} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
