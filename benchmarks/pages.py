"""The speed of the pages, each measured beside the least Streamlit can do, in one run.

Script time: one rerun under AppTest. Repaint: from a key press on the sequence-length slider in
Chromium until the last change in sight of the page's own content or of a picture in it (then one
frame). Bytes: what the server sends for it. The middle half of several presses.
"""

import argparse
import json
import statistics
import subprocess
import sys
import timeit
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import ViewportSize, sync_playwright
from streamlit.testing.v1 import AppTest

from attention_lab.page_list import PAGES, Page
from scripts.find_chromium import FLAGS, find_chromium

from ._servers import ROOT, served

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


class Repaint(NamedTuple):
    """One reading: milliseconds from key press to repaint, and the messages and kilobytes received
    for it.
    """

    time: float
    messages: float
    size: float


def script_times(pages: Sequence[Page]) -> dict[str, float]:
    """Milliseconds of one rerun of each page under AppTest, median of 15 after a warm run."""
    times = {}
    app = AppTest.from_file(str(ROOT / "attention_ui" / "main_script.py"), default_timeout=60)
    app.run()
    for page in pages:
        times[page.url_path] = _rerun(app.switch_page(page.path))
    return times


def script_times_of(root: Path, names: Sequence[str]) -> dict[str, float]:
    """The same of the version in a folder, in a process of its own; 0 for pages that it lacks."""
    code = (
        "import json, sys\nfrom attention_lab.page_list import PAGES\n"
        "from benchmarks.pages import script_times\n"
        "pages = [page for page in PAGES if page.url_path in sys.argv]\n"
        "print(json.dumps(script_times(pages)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *names], cwd=root, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return dict.fromkeys(names, 0.0) | found


def _rerun(app: AppTest) -> float:
    app.run()
    return 1000 * statistics.median(timeit.repeat(app.run, number=1, repeat=15))


def repaints(
    roots: Mapping[str, Path], pages: Sequence[str], presses: int, rounds: int
) -> dict[str, dict[str, list[Repaint]]]:
    """One reading a round in Chromium, by page and server, in turn: floor, then each version,
    given by its folder.
    """
    with ExitStack() as stack:
        floor = stack.enter_context(served(script="benchmarks/_floor.py"))
        apps = {name: stack.enter_context(served(root)) for name, root in roots.items()}
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        found: dict[str, dict[str, list[Repaint]]] = {}
        for page in pages:
            places = {"floor": floor.address}
            places |= {name: f"{app.address}/{page}" for name, app in apps.items()}
            found[page] = {name: [] for name in places}
            for _ in range(rounds):  # other work on the machine makes fast and slow minutes
                for name, address in places.items():
                    tab = browser.new_page(viewport=WINDOW)
                    found[page][name].append(_repaint(tab, address, presses))
        browser.close()
    return found


def _repaint(tab: BrowserPage, address: str, presses: int) -> Repaint:
    received: list[int] = []
    tab.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda payload: received.append(len(payload))),
    )
    tab.goto(f"{address}?n_tokens={FIRST}")
    _settle(tab)
    slider = tab.locator("input[type=range]").first
    slider.wait_for(timeout=30_000)
    slider.focus()
    tab.evaluate(WATCH)
    readings = []
    for _ in range(presses):
        received.clear()
        # Always on: what was there a moment ago would be a message that is not sent again.
        slider.press("ArrowRight")
        readings.append((_settle(tab), len(received), sum(received) / 1000))
    tab.close()
    return Repaint(*(_middle(column) for column in zip(*readings[2:], strict=True)))


def _middle(times: Sequence[float]) -> float:
    """The mean of the middle half; a median of the floor would jump between one frame and two."""
    quarter = len(times) // 4
    return statistics.fmean(sorted(times)[quarter : len(times) - quarter])


def _settle(tab: BrowserPage) -> float:
    """Wait until the page has been quiet for a while; the time of its last change after the
    last key press.
    """
    tab.wait_for_selector('[data-test-script-state="notRunning"]', timeout=30_000)
    if not tab.evaluate("() => Boolean(window.watch)"):
        tab.wait_for_timeout(4000)
        return 0.0
    tab.wait_for_function(f"() => performance.now() - window.watch.last > {QUIET}", timeout=30_000)
    return float(tab.evaluate("() => window.watch.last - window.watch.start"))


def main(arguments: Sequence[str] = ()) -> None:
    """Print one line per page and version: script time, repaint, the repaint beside floor and
    the version before, messages and bytes.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks pages", description=__doc__)
    parser.add_argument("--presses", type=int, default=PRESSES, help="key presses per reading")
    parser.add_argument("--rounds", type=int, default=1, help="readings of each server per page")
    parser.add_argument("--sections", nargs="*", help="such as story; all if none")
    parser.add_argument("--pages", nargs="*", help="these pages alone")
    parser.add_argument("--against", type=Path, help="folder of another version, measured in turn")
    chosen = parser.parse_args(arguments)
    sections = chosen.sections or {page.section for page in PAGES}
    pages = [page.url_path for page in PAGES if page.section in sections]
    pages = chosen.pages or pages
    roots = {"before": chosen.against.resolve()} if chosen.against else {}
    roots["now"] = ROOT
    scripts = {name: script_times_of(root, pages) for name, root in roots.items()}
    print(
        "| page | version | script, ms | repaint, ms | × floor | × before"
        " | messages | kB |\n|---|---|---|---|---|---|---|---|"
    )
    for page, readings in repaints(roots, pages, chosen.presses, chosen.rounds).items():
        for name in roots:
            ratios = [
                f"{_ratio(readings[name], readings.get(rival, [])):.2f}"
                for rival in ("floor", "before")
            ]
            time, messages, size = (
                statistics.median(one) for one in zip(*readings[name], strict=True)
            )
            print(
                f"| {page} | {name} | {scripts[name][page]:.1f} | {time:.0f} |"
                f" {' | '.join(ratios)} | {messages:.0f} | {size:.1f} |",
                flush=True,
            )


def _ratio(readings: Sequence[Repaint], rivals: Sequence[Repaint]) -> float:
    """The median over the rounds of the repaint beside that of a rival in the same round."""
    pairs = zip(readings, rivals, strict=False)
    return statistics.median([one.time / rival.time for one, rival in pairs] or [1.0])
