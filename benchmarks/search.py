"""The search of *What learners ask*: its own time in Python for each question of
`tests/data/asked.csv`, and the time from Enter to the list in the app and on the site.
"""

import csv
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Page

from attention_lab.questions import find_entries, searched_texts
from attention_lab.search import respelled

from ._servers import served
from .site import change_time, opened_page, site_in_browser

ASKED = Path(__file__).resolve().parents[1] / "tests" / "data" / "asked.csv"
SHOWN = 12  # of them are typed into a page
FIELDS = {"app": ".st-key-choose-concepts_words input", "site": "#page input[name=concepts_words]"}
PAGE = "[data-testid=stMain], #page"


def main() -> None:
    """Measure and print."""
    with ASKED.open(encoding="utf-8", newline="") as file:
        asked = [row["asked"] for row in csv.DictReader(file)]
    print(f"first search, which builds the index: {_searched(asked[0]):.0f} ms")
    times = [_searched(one) for one in asked]
    print(f"each of {len(asked)}: median {median(times):.1f} ms, most {max(times):.1f} ms")
    with site_in_browser() as (browser, site, _), served() as app:
        for kind, url in {"app": f"{app.address}/questions", "site": f"{site}#questions"}.items():
            page = opened_page(browser, url, kind, FIELDS[kind])
            times = [_typed(page, FIELDS[kind], one) for one in asked[:SHOWN]]
            print(f"{kind}: from Enter to the list {median(times):.0f} ms, most {max(times):.0f}")
            page.close()


def _searched(question: str) -> float:
    """The milliseconds of a search with its spelling, as the page makes it."""
    start = time.perf_counter()
    find_entries(respelled(question, searched_texts()))
    return 1000 * (time.perf_counter() - start)


def _typed(page: Page, field: str, question: str) -> float:
    box = page.locator(field).first
    box.fill(question)
    return change_time(page, box, "Enter", box, PAGE)
