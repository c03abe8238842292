"""What is taken along: files, hand-outs that open from the disk, what is printed, whole, light."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.scenario import Scenario, trace_of
from attention_lab.state_file import read_state
from attention_viz.handout import handout
from attention_viz.scene import Stage, coloured_scene
from attention_viz.sheets import worksheet
from attention_viz.story.per_head import scores_board
from attention_viz.theme import PALETTES
from tests.browser.conftest import WINDOW, another_tab
from tests.browser.driving import Visit, box_of, bytes_of, expect_url, settled
from tests.browser.test_board import SCENARIO, expect_cell
from tests.browser.test_every_page import rgb
from tests.browser.test_stage import FIRST

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


@contextmanager
def at_home(context: BrowserContext, file: Path, **kind: Any) -> Iterator[Page]:
    """A file opened from the disk, without a network; it asks for no other, and nothing fails."""
    asked: list[str] = []
    with another_tab(context, "", offline=True, **kind) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        yield page
    assert [url for url in asked if not url.startswith("blob:")] == [file.as_uri()]


def test_a_hand_out_is_read_without_a_network_and_printed_light_and_whole(
    context: BrowserContext, tmp_path: Path
) -> None:
    trace = trace_of(SCENARIO)
    scene = coloured_scene(scores_board(Stage(trace), (1, 3, 2)), "both")
    file = tmp_path / "scores.html"
    said = ("Scores", "One </script> sentence.", "scores = q @ k.T", "“a”")
    file.write_text(handout(scene, *said), encoding="utf-8")
    with at_home(context, file, color_scheme="dark") as page:
        expect_cell(page, trace, "scores", (0, 1, 3, 2))
        code, board = (box_of(page.locator(part)) for part in ("code", "section.board"))
        assert code["y"] > board["y"] + board["height"]
        page.locator('[data-panel="scores result"]').focus()
        page.keyboard.press("ArrowUp")
        expect_cell(page, trace, "scores", (0, 1, 2, 2))
        page.get_by_role("button", name=re.compile("^Play")).click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        save_picture(page, "PNG")
        title = page.locator(".board .title").first
        expect(title).to_have_css("color", rgb(PALETTES["dark"]["text"]))
        with on_paper(page):
            expect(title).to_have_css("color", rgb(PALETTES["light"]["text"]))
            expect_free(page)
            # What is lit is on the only canvas that is printed: one that is cleared takes away what
            # lies below it.
            expect(page.locator(".board .overlay")).to_be_hidden()
            focus = rgb(PALETTES["light"]["focus"])
            assert page.locator(".board .base").evaluate(COUNT, focus) > 100
            terms = page.locator(".board .terms")
            assert terms.evaluate("one => one.scrollHeight - one.clientHeight") <= 2
        expect(title).to_have_css("color", rgb(PALETTES["dark"]["text"]))
        assert "width" not in str(page.locator(".board").get_attribute("style"))


@contextmanager
def on_paper(page: Page) -> Iterator[None]:
    """The page as it is printed."""
    page.evaluate(PRINTS, "beforeprint")
    page.emulate_media(media="print")
    yield
    page.evaluate(PRINTS, "afterprint")
    page.emulate_media(media="screen")


@pytest.mark.every_situation
def test_a_step_is_printed_light_on_one_sheet_and_columns_as_wide_as_on_the_screen(
    go: Visit, page: Page
) -> None:
    page.emulate_media(color_scheme="dark")  # it would take much ink
    board = go("split?query=4").locator(".board.step")
    closed, base = page.locator("details:not([open])"), board.locator(".base")
    ground = rgb(PALETTES["dark"]["background"])
    assert closed.count() > 3
    assert brightness(page) < 50
    assert base.evaluate(COUNT, ground) == 0
    with on_paper(page):
        page.set_viewport_size({"width": 1072, "height": 1517})  # A4, as far as browsers shrink
        assert brightness(page) > 200
        # What a board clears is white on paper, where names of tokens were white, too.
        assert base.evaluate(COUNT, ground) > 10_000
        for part in (".words .formula math", ".words .sentence", ".stage", ".arithmetic"):
            box = box_of(board.locator(part).first)
            assert box["y"] + box["height"] < 1517
        visible = board.locator("button").filter(visible=True)
        assert visible.evaluate_all("all => all.filter(one => one.ariaPressed !== 'true')") == []
        parts = [page.get_by_test_id(one) for one in ("stSidebar", "stButton")]
        way = page.get_by_role("navigation", name="Pages of this chapter")
        for part in (*parts, way, board.locator(".player"), closed):
            expect(part.filter(visible=True)).to_have_count(0)
        expect_free(page)
    page.emulate_media(color_scheme="light")
    with on_paper(settled(page)):
        expect(page.get_by_test_id("stApp")).to_have_css("filter", "none")
    # On a sheet, narrower than the window, boards and charts would lie on what stands beside them.
    page.set_viewport_size(WINDOW)
    columns, main = go("overview").get_by_test_id("stColumn"), page.get_by_test_id("stMain")
    on_screen = columns.evaluate_all(WIDTHS)
    with on_paper(page):
        page.set_viewport_size({"width": 718, "height": 1000})
        paper = columns.evaluate_all(WIDTHS)
        assert all(one >= other for one, other in zip(paper, on_screen, strict=True))
        width = main.evaluate("main => main.getBoundingClientRect().width")
        assert width <= 1.5 * 718, "as far as browsers shrink"
    assert main.evaluate("main => main.style.minWidth + main.style.zoom") == ""


def brightness(page: Page) -> float:
    """How light most of what is in sight is, from 0 to 255."""
    return float(np.median(np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("L"))))


def expect_free(page: Page) -> None:
    """Nothing lies on the matrices."""
    parts = (".board .stage", ".board .dock")
    stage, dock = (box_of(page.locator(part)) for part in parts)
    assert dock["y"] >= stage["y"] + stage["height"]


def test_a_long_word_and_one_from_right_to_left_stay_in_their_line(page: Page) -> None:
    trace = trace_of(Scenario(text=f"שלום {'w' * 200}"))
    made_of = f"“{' '.join(trace.tokens)}”: 16 features"
    board = coloured_scene(scores_board(Stage(trace), (0, 0, 0)), "both")
    for sheet in (
        worksheet([], made_of),
        handout(board, "Scores", made_of, trace.code("scores"), made_of),
    ):
        page.goto("about:blank")  # the policy of the sheet before forbids the style of this one
        page.set_content(sheet)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(page.locator("p bdi").first).to_have_text(" ".join(trace.tokens))


def save_picture(page: Page, kind: str) -> None:
    """The board of the scores is kept as a picture of a kind, made in the page itself."""
    page.locator(".save summary").click()
    with page.expect_download() as kept:
        page.get_by_role("button", name=f"Save the board as a picture ({kind})").click()
    expect(page.locator(".save .opened")).to_be_hidden()
    assert kept.value.url.startswith("blob:")
    assert kept.value.suggested_filename == f"scores.{kind.lower()}"
    begins = {"PNG": b"\x89PNG", "SVG": b"<svg"}[kind]
    assert bytes_of(kept.value).startswith(begins)


def downloaded(page: Page, group: str, *labels: str) -> dict[str, bytes]:
    """Open a group, or choose one, and press each of its buttons; gives the files by their
    names.
    """
    page.locator("summary, [data-testid=stButtonGroup] button", has_text=group).click()
    files = {}
    for label in labels:
        with settled(page).expect_download() as kept:
            page.get_by_role("button", name=label, exact=True).click()
        files[kept.value.suggested_filename] = bytes_of(kept.value)
    return files


def test_a_state_is_kept_and_comes_back_where_other_files_were_refused(visit: Visit) -> None:
    page = visit("scores?mask=causal&head=1&query=5&key=2&notation=gml")
    kept = downloaded(page, "Own numbers", "These matrices as NPZ", "State")["attention-lab.json"]
    state = read_state(kept)
    assert (state.scenario.mask, state.focus, state.notation) == ("causal", (1, 5, 2, 0), "gml")
    page = visit("scores")
    page.locator("summary", has_text="Own numbers").click()
    place = settled(page).get_by_test_id("stFileUploader")
    files = {
        "words.txt": "Which matrix is it?",
        "b_Q.csv": "your own b_Q",
        "notes.txt": "Which matrix is it?",
    }
    for name, said in files.items():
        file = {"name": name, "mimeType": "", "buffer": b"0,1,2,3,4,5,6,7\n"}
        place.locator("input[type=file]").set_input_files(file)
        expect(place).to_contain_text(name)
        expect(page.get_by_test_id("stSidebar").get_by_text(said)).to_be_visible()
        settled(page)
        if name == "words.txt":
            place.evaluate("element => { element.dataset.place = 'the first'; }")
        # What is said of a file must not make the place anew, which would drop the next upload.
        expect(place).to_have_attribute("data-place", "the first")
    file = {"name": "s.json", "mimeType": "application/json", "buffer": kept}
    place.locator("input[type=file]").set_input_files(file)
    expect_url(page, "mask=causal", "head=1", "query=5", "key=2", "notation=gml")


@pytest.mark.every_situation
def test_a_step_is_taken_along(visit: Visit) -> None:
    page = visit(f"scores?{FIRST}")
    names = (
        "Take the story with you",
        "The layer as a notebook",
        "The layer as a script",
        "The whole trace as NPZ",
    )
    files = downloaded(page, "Take it with you", *names) | downloaded(
        page, "The numbers", "This field as CSV"
    )
    assert {name.rpartition(".")[2] for name in files} == {"html", "ipynb", "py", "npz", "csv"}
    assert all(files.values())
    for kind in ("PNG", "SVG"):
        save_picture(page, kind)
    chosen = page.get_by_role("button", name="The code")
    chosen.click()
    expect(settled(page).get_by_test_id("stCode")).to_have_count(1)
    page.locator(".onward a").click()
    expect(page.get_by_role("heading", name="Scale")).to_be_visible()
    expect(settled(page).get_by_test_id("stCode")).to_have_count(1)
    chosen.click()
    expect(settled(page).get_by_test_id("stCode")).to_have_count(0)
