"""How the tests act on the app: wait until it is drawn, find a cell, read the URL as a
scenario.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Download, FloatRect, Locator, Page, expect

from attention_core import Trace
from attention_lab.control_list import CONTROLS
from attention_lab.page_list import page_of
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS
from attention_lab.words.numbers import format_number

Visit = Callable[[str], Page]  # opens a path of the app
StepAt = Callable[[Page, str], Page]  # opens a step of the story in a tab

# In every page of the app: its elements, those of shadow trees, too; and the one that is seen at a
# place.
LOOKING = """window.everyElement = (root = document) => [...root.querySelectorAll('*')]
  .flatMap(one => [one, ...(one.shadowRoot ? everyElement(one.shadowRoot) : [])]);
window.seenAt = (x, y, root = document) => {
  const at = root.elementFromPoint(x, y);
  return at?.shadowRoot?.elementFromPoint(x, y) ? seenAt(x, y, at.shadowRoot) : at;
};"""
BOARD = "section.board:not(.alone)"  # not the row of pages
BOARDS = """() => [...everyElement().flatMap(one => [one, one.shadowRoot])
  .map(root => root?.attentionBoard?.board), ...window.storyBoards ?? []].filter(board => board
    && board.parts.section.matches('.board:not(.alone)')
    && board.parts.section.checkVisibility()
    && board.parts.section.style.visibility === '')"""
UNFINISHED = "[data-testid=stSkeleton], [data-testid=stAppSkeleton], [data-stale=true]"
MS_BETWEEN_LOOKS = 50  # at a page that is being drawn
DRAWN = f"""() => {{
  if (window.storyBoards) return ({BOARDS})().every(board => board.isLaid() && board.current());
  const app = document.querySelector('[data-testid=stApp]');
  if (app?.dataset.testScriptState !== 'notRunning' || document.querySelector('{UNFINISHED}'))
    return false;
  const boards = ({BOARDS})();
  const frames =
    [...document.querySelectorAll('[data-testid=stMain] [data-testid^=stBidiComponent]')]
    .filter(frame => !frame.closest('.st-key-board-strip'));
  return (document.querySelector('h1') !== null || boards.length > 0)
    && boards.every(board => board.isLaid())
    && boards.filter(board => board.current() ?? board.pins.cell).length +
      document.querySelectorAll('.chart.js-plotly-plot').length
      >= frames.length;
}}"""
# A board is told of a new scene only after React has shown the page; when the browser is idle, that
# is done. A browser that draws no frames may not say that it is idle.
IDLE = """() => new Promise(resolve => {
  let idle = false;
  requestIdleCallback(() => resolve(idle = true), {timeout: 1000});
  const frame = () => idle || requestAnimationFrame(frame);
  frame();
})"""
# Whether a place is in the window, with nothing of the page or of the board's own dock on it.
UNCOVERED = "({x, y}) => Boolean(seenAt(x, y)?.closest('.stage'))"
TO_THE_MIDDLE = """y => (document.querySelector('[data-testid=stMain]') ?? window)
  .scrollBy({top: y - innerHeight / 3, behavior: 'instant'})"""
# All that is drawn: the words, and the canvases of the boards.
DRAWING = """() => {
  const canvases = everyElement().filter(one => one.tagName === 'CANVAS');
  return [document.body.innerText, location.pathname, ...canvases.map(one => one.toDataURL())]
    .join();
}"""
OPEN = (
    "url => { history.pushState({}, '', url); window.dispatchEvent(new"
    " PopStateEvent('popstate')); }"
)


def settled(page: Page) -> Page:
    """Wait until the script has run and every board and chart is drawn."""
    page.wait_for_function(DRAWN, polling=MS_BETWEEN_LOOKS)
    page.evaluate(IDLE)
    return page


def press_and_see(page: Page, key: str) -> Page:
    """Press a key, and wait until something on the page has changed and is drawn."""
    before = page.evaluate(DRAWING)
    page.keyboard.press(key)
    page.wait_for_function(
        f"before => ({DRAWING})() !== before", arg=before, polling=MS_BETWEEN_LOOKS
    )
    return settled(page)


def resized(page: Page, width: int, height: int) -> Page:
    """Give the window a size, and wait until every board is laid out for it."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("([w, h]) => innerWidth === w && innerHeight === h", arg=[width, height])
    return settled(page)


def opened(page: Page, app_url: str) -> Page:
    """A URL when it is drawn: in a tab of the app as by the browser's buttons, which takes a third
    of the time, else loaded. The page must have another title than the one before.
    """
    if urlsplit(page.url).netloc == urlsplit(app_url).netloc:
        page.evaluate(OPEN, app_url)
    else:
        page.goto(app_url)
    expect_title(page, page_of(urlsplit(app_url).path.strip("/")).title)
    return settled(page)


def one_by_one(page: Page, urls: Sequence[str]) -> Iterator[Page]:
    """Each URL when it is drawn, see `opened`."""
    for app_url in urls:
        yield opened(page, app_url)


def naming(path: str) -> str:
    """A path that names a head, unless it names a control or a place: a bare one opens the first
    example.
    """
    names = {control.name for control in CONTROLS} | {*FOCUS, "edits", "own", "pin"}
    if names & parse_qs(urlsplit(path).query, keep_blank_values=True).keys():
        return path
    return f"{path}{'&' if '?' in path else '?'}head=0"


def expect_title(page: Page, title: str) -> None:
    """Wait for the page of a title, which the tab names, too; for a moment the one before can
    still stand below it.
    """
    heading = page.locator("h1").filter(visible=True)
    expect(heading.filter(has_text=title).first).to_be_visible()
    expect(heading).to_have_count(1)
    expect(heading).to_have_text(title)
    expect(page).to_have_title(f"{title} · Attention Lab")


def path_of(page: Page) -> str:
    """The page of the app that the URL names, or the step of a story in a file."""
    url = urlsplit(page.url)
    return url.fragment if url.scheme == "file" else url.path.strip("/")


def parameters(page: Page) -> dict[str, str]:
    """What stands behind the question mark of the URL."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def scenario_in(page: Page) -> Scenario:
    """The scenario that the URL describes, read without the app's own code for it."""
    defaults: dict[str, Any] = asdict(Scenario())
    found: dict[str, Any] = {}
    for control in CONTROLS:
        text = parameters(page).get(control.name)
        if text is None:
            continue
        kind = type(defaults[control.name])
        if kind is bool:
            found[control.name] = text.lower() == "true"
        else:
            found[control.name] = 0 if text == control.zero else kind(text)
    own = {name: parameters(page)[name] for name in ("edits", "own") if name in parameters(page)}
    return Scenario(**found, **own)


def expect_url(page: Page, *parts: str) -> None:
    """Wait until the URL holds each part; one that starts with "!" is not to be in it."""
    for part in parts:
        pattern = re.compile(re.escape(part.removeprefix("!")))
        told = expect(page)
        (told.not_to_have_url if part.startswith("!") else told.to_have_url)(pattern)


def slider(page: Page, label: str) -> Locator:
    """The handle of a slider, which the arrow keys move."""
    return page.get_by_role("group", name=label, exact=True).locator("input[type=range]")


def cell_at(page: Page, array: str, index: Sequence[int], board: int = 0) -> tuple[float, float]:
    """Where on the screen the middle of a cell is; the board is brought into sight."""
    page.locator(BOARD).nth(board).scroll_into_view_if_needed()
    script = f"([board, cell]) => ({BOARDS})()[board].where(cell)"
    cell = [board, {"array": array, "index": list(index)}]
    place = page.evaluate(script, cell)
    assert place is not None, f"{array}{list(index)} is not drawn"
    if not page.evaluate(UNCOVERED, place):
        page.evaluate(TO_THE_MIDDLE, place["y"])
        place = page.evaluate(script, cell)
    return place["x"], place["y"]


def bytes_of(download: Download) -> bytes:
    """A file that the page gave."""
    with TemporaryDirectory() as folder:
        download.save_as(file := Path(folder) / "file")
        return file.read_bytes()


def box_of(part: Locator) -> FloatRect:
    """Where a part of the page is in the window."""
    box = part.bounding_box()
    assert box, f"{part} is not in the page"
    return box


def hover_cell(page: Page, array: str, index: Sequence[int]) -> None:
    """Point at a cell of the first board."""
    page.mouse.move(*cell_at(page, array, index))


def click_cell(page: Page, array: str, index: Sequence[int], board: int = 0) -> None:
    """Click a cell of a board."""
    place = cell_at(page, array, index, board)
    page.mouse.move(*place)
    page.mouse.click(*place)


def expect_result(page: Page, value: float) -> None:
    """The arithmetic ends in this number; a whole one may be written without decimals."""
    digits = (4, 0) if float(value).is_integer() else (4,)
    forms = [re.escape(format_number(value, one)) for one in digits]
    pattern = re.compile(f"^({'|'.join(forms)})$")
    expect(page.locator(".arithmetic .result").first).to_have_text(pattern)


def score_at(trace: Trace, head: int, query: int, key: int) -> float:
    """A raw score."""
    return float(trace.scores[0, head, query, key])


def rgb(colour: str) -> str:
    """A colour as the browser names it."""
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"
