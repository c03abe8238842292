"""The search of *What learners ask*: its own time in Python for each question of
`tests/data/asked.csv`, and the time from Enter to the list in the app and on the site.
"""

import csv
import tempfile
import time
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread

from playwright.sync_api import Page, sync_playwright

from attention_lab.questions import find_entries, searched_texts
from attention_lab.search import respelled
from scripts.build_site import build
from scripts.find_chromium import find_chromium

from ._servers import served
from .site import WINDOW, Noting

ASKED = Path(__file__).resolve().parents[1] / "tests" / "data" / "asked.csv"
SHOWN = 12  # of them are typed into a page
FIELDS = {"app": ".st-key-choose-concepts_words input", "site": "#page input[name=concepts_words]"}
# Milliseconds from Enter until the page says something else, and has drawn it.
FOUND_JS = """field => {
  const page = document.querySelector("[data-testid=stMain], #page");
  return {time: new Promise(done => field.addEventListener("keydown", ({key}) => {
    if (key !== "Enter") return;
    const before = page.innerText, start = performance.now();
    const look = () => requestAnimationFrame(() => page.innerText === before ? look()
      : requestAnimationFrame(() => done(performance.now() - start)));
    look();
  }))};
}"""


def main() -> None:
    """Measure and print."""
    with ASKED.open(encoding="utf-8", newline="") as file:
        asked = [row["asked"] for row in csv.DictReader(file)]
    print(f"first search, which builds the index: {_searched(asked[0]):.0f} ms")
    times = [_searched(one) for one in asked]
    print(f"each of {len(asked)}: median {median(times):.1f} ms, most {max(times):.1f} ms")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        build(Path(name))
        browser = playwright.chromium.launch(executable_path=find_chromium())
        server = ThreadingHTTPServer(("localhost", 0), partial(Noting, directory=name))
        Thread(target=server.serve_forever, daemon=True).start()
        with served("app") as app:
            urls = {"app": f"{app.address}/questions"}
            urls["site"] = f"http://localhost:{server.server_port}/#questions"
            for kind, url in urls.items():
                page = browser.new_page(viewport=WINDOW)
                page.goto(url)
                if kind == "site":
                    page.wait_for_selector("#files", timeout=120_000)
                page.wait_for_timeout(3_000)
                found = [_typed(page, FIELDS[kind], one) for one in asked[:SHOWN]]
                print(
                    f"{kind}: from Enter to the list {median(found):.0f} ms, most {max(found):.0f}"
                )
                page.close()
        server.shutdown()
        browser.close()


def _searched(question: str) -> float:
    """The milliseconds of a search with its spelling, as the page makes it."""
    start = time.perf_counter()
    find_entries(respelled(question, searched_texts()))
    return 1000 * (time.perf_counter() - start)


def _typed(page: Page, field: str, question: str) -> float:
    box = page.locator(field).first
    box.fill(question)
    taken = page.evaluate_handle(FOUND_JS, box.element_handle())
    box.press("Enter")
    found = float(taken.evaluate("taken => taken.time"))
    page.wait_for_timeout(700)
    return found
