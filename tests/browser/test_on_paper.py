"""What is printed: boards and hand-outs, whole, light, with nothing lying on them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.scenario import Scenario, trace_of
from attention_viz import story
from attention_viz.handout import handout
from attention_viz.scene import Stage, coloured_scene
from attention_viz.theme import PALETTES
from attention_viz.worksheet import worksheet
from tests.browser.conftest import WINDOW
from tests.browser.driving import go_on, settled
from tests.browser.test_every_page import rgb

pytestmark = pytest.mark.browser
PRINTS = "name => window.dispatchEvent(new Event(name))"
WIDTHS = "parts => parts.map(part => part.clientWidth)"
# How many pixels of the lower canvas have a colour.
COUNT = """(canvas, colour) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  const named = i => `rgb(${data.slice(i, i + 3).join(', ')})`;
  for (let i = 0; i < data.length; i += 4) count += colour === named(i);
  return count;
}"""


def test_a_hand_out_is_printed_light_and_whole(context: BrowserContext, tmp_path: Path) -> None:
    assert context.browser
    alone = context.browser.new_context(offline=True, color_scheme="dark")
    page = alone.new_page()
    stage = Stage(trace_of(Scenario(n_tokens=64, d_model=64)))
    file = tmp_path / "scores.html"
    file.write_text(
        handout(coloured_scene(story.scores_board(stage, (0, 4, 1)), "both"), "Scores", "", "", ""),
        encoding="utf-8",
    )
    page.goto(file.as_uri())
    title, board = page.locator(".board .title").first, page.locator(".board")
    expect(title).to_have_css("color", rgb(PALETTES["dark"]["text"]))
    page.emulate_media(media="print")
    page.evaluate(PRINTS, "beforeprint")
    expect(title).to_have_css("color", rgb(PALETTES["light"]["text"]))
    expect_free(page)
    # What is lit is on the only canvas that is printed: one that is cleared takes away what lies
    # below it.
    expect(page.locator(".board .overlay")).to_be_hidden()
    assert page.locator(".board .base").evaluate(COUNT, rgb(PALETTES["light"]["focus"])) > 100
    assert board.locator(".terms").evaluate("terms => terms.scrollHeight - terms.clientHeight") <= 2
    page.evaluate(PRINTS, "afterprint")
    expect(title).to_have_css("color", rgb(PALETTES["dark"]["text"]))
    assert board.get_attribute("style") is not None
    assert "width" not in (board.get_attribute("style") or "")
    alone.close()


@contextmanager
def on_paper(page: Page) -> Iterator[None]:
    """The page as it is printed."""
    page.evaluate(PRINTS, "beforeprint")
    page.emulate_media(media="print")
    yield
    page.evaluate(PRINTS, "afterprint")
    page.emulate_media(media="screen")


def test_a_page_is_printed_light_and_without_what_moves_it(
    visit: Callable[[str], Page], page: Page
) -> None:
    page.emulate_media(color_scheme="dark")  # it would take much ink
    base = visit("scores?query=4&key=1").locator(".board .base")
    ground = rgb(PALETTES["dark"]["background"])
    assert brightness(page) < 50
    assert base.evaluate(COUNT, ground) == 0
    closed = page.locator("details:not([open])")
    assert closed.count() > 3
    with on_paper(page):
        assert brightness(page) > 200
        # What a board clears is white on paper, where names of tokens were white, too.
        assert base.evaluate(COUNT, ground) > 10_000
        expect(page.get_by_test_id("stSidebar")).to_be_hidden()
        expect(page.get_by_role("navigation", name="Steps of the story")).to_be_hidden()
        expect(page.locator(".board .player")).to_be_hidden()
        expect(closed.filter(visible=True)).to_have_count(0)
        expect_free(page)
    page.emulate_media(color_scheme="light")
    with on_paper(settled(page)):
        expect(page.get_by_test_id("stApp")).to_have_css("filter", "none")


def test_a_step_is_printed_on_one_sheet_and_columns_as_wide_as_on_the_screen(
    visit: Callable[[str], Page], page: Page
) -> None:
    stage = visit("split?query=4").locator(".board.step")
    with on_paper(page):
        page.set_viewport_size({"width": 1072, "height": 1517})  # A4, as far as browsers shrink
        for part in (".words .formula math", ".words .sentence", ".stage", ".arithmetic"):
            box = stage.locator(part).first.bounding_box()
            assert box, part
            assert box["y"] + box["height"] < 1517
        visible = stage.locator("button").filter(visible=True)
        assert visible.evaluate_all("all => all.filter(one => one.ariaPressed !== 'true')") == []
        expect(page.get_by_test_id("stButton").filter(visible=True)).to_have_count(0)
    # On a sheet, narrower than the window, boards and charts would lie on what stands beside them.
    for path in ("overview", "growth"):
        page.set_viewport_size(WINDOW)
        columns, main = go_on(page, path).get_by_test_id("stColumn"), page.get_by_test_id("stMain")
        on_screen = columns.evaluate_all(WIDTHS)
        with on_paper(page):
            page.set_viewport_size({"width": 718, "height": 1000})
            paper = columns.evaluate_all(WIDTHS)
            assert all(one >= other for one, other in zip(paper, on_screen, strict=True)), path
            width = main.evaluate("main => main.getBoundingClientRect().width")
            assert width <= 1.5 * 718, "as far as browsers shrink"
        assert main.evaluate("main => main.style.minWidth + main.style.zoom") == ""


def brightness(page: Page) -> float:
    """How light most of what is in sight is, from 0 to 255."""
    return float(np.median(np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("L"))))


def expect_free(page: Page) -> None:
    """Nothing lies on the matrices."""
    stage, dock = (
        page.locator(".board .stage").bounding_box(),
        page.locator(".board .dock").bounding_box(),
    )
    assert stage
    assert dock
    assert dock["y"] >= stage["y"] + stage["height"]


def test_a_long_word_and_one_from_right_to_left_stay_in_their_line(page: Page) -> None:
    trace = trace_of(Scenario(text=f"שלום {'w' * 200}"))
    made_of = f"“{' '.join(trace.tokens)}”: 16 features"
    board = coloured_scene(story.scores_board(Stage(trace), (0, 0, 0)), "both")
    for sheet in (
        worksheet([], made_of),
        handout(board, "Scores", made_of, trace.code("scores"), made_of),
    ):
        page.goto(
            "about:blank"
        )  # the policy of the sheet before would forbid the style of this one
        page.set_content(sheet)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(page.locator("p bdi").first).to_have_text(" ".join(trace.tokens))
