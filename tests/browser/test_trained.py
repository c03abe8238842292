"""Heads of models in a real browser: a thumbnail opens its head, a file stays in its session."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    BOARD,
    BOARDS,
    Visit,
    box_of,
    click_cell,
    expect_title,
    expect_url,
    opened,
    resized,
    settled,
)

AT_CELL = """([layer, head, row, column, tokens]) => {
  const panel = everyElement().find(e => e.dataset?.panel === `layer ${layer}`);
  panel.scrollIntoView({block: 'center'});
  const box = panel.getBoundingClientRect();
  const step = (box.width + 8) / 12, side = step - 8, cell = side / tokens;
  return [box.left + head * step + (column + 0.5) * cell, box.bottom - side + (row + 0.5) * cell];
}"""


def drawn(page: Page, count: int) -> Page:
    """Wait until the script has run and this number of boards is drawn."""
    page.wait_for_function(
        f"() => ({BOARDS})().filter(board => board.current()).length === {count}"
    )
    return settled(page)


@pytest.mark.every_situation
def test_a_dock_stays_with_its_board_and_off_the_cell_that_it_explains(
    go: Visit, page: Page
) -> None:
    """It is in sight while its board is; where it would lie on the framed cell, or its board has
    only begun, it stands at the foot of the board.
    """
    page.set_viewport_size({"width": 620, "height": 768})  # narrow, so that the heads are scrolled
    place = "th_model=language+model&th_layer=2&th_cell=4-0-0"  # behind the dock of a lower window
    dock = go(f"trained-heads?{place}").locator(".board.gallery .dock")
    expect(dock).to_be_in_viewport()
    resized(page, 620, 620)
    expect(dock).not_to_be_in_viewport()
    resized(page, 1366, 768)
    second = go("find-a-head").locator(".board.gallery .dock").nth(1)
    expect(second).not_to_be_in_viewport()
    page.locator(".board.gallery").nth(1).evaluate("board => board.scrollIntoView()")
    expect(second).to_be_in_viewport()
    go("change-a-word?th_model=MiniLM&text=hello+there")
    page.get_by_role("button", name="tired / wide").click()
    expect(page.get_by_text(re.compile(r"68\.8\s%.*32\.3\s%"))).to_be_visible()
    drawn(page, 2)
    page.mouse.click(*page.evaluate(AT_CELL, [5, 8, 12, 12, 15]))
    expect_url(page, "th_layer=5", "th_head=8")


@pytest.mark.every_situation
def test_a_file_of_the_user(visit: Visit, tmp_path: Path) -> None:
    shares = np.random.default_rng(1).dirichlet(np.ones(4), size=(2, 3, 4)).astype("f4")
    np.savez(
        tmp_path / "mine.npz", attention=shares, tokens=np.array(["<i>one", "two", "three", "four"])
    )
    page = visit("your-weights")
    expect(page.get_by_text("at most 600 MB")).to_be_visible()
    expect(page.get_by_text("per file")).not_to_be_visible()  # where 1 GB would stand
    page.locator("input[type=file]").set_input_files(tmp_path / "mine.npz")
    expect(page.get_by_test_id("stAlert").first).to_contain_text(re.compile(r"\b2\b.*\b3\b"))
    drawn(page, 1)
    page.locator('[data-panel="layer 1"]').focus()
    page.keyboard.press("Enter")
    expect_url(page, "/trained-heads", "th_open=true", "th_model=your+own", "!mine")
    drawn(page, 1).reload()
    expect_url(page, "/trained-heads", "th_model=your+own")
    expect(page.get_by_text("at most 600 MB")).to_be_visible()


@pytest.mark.every_situation
def test_the_head_of_the_frog_is_found_in_a_click(visit: Visit) -> None:
    """From the heads that copy to head 4 of layer 4, and on into the story; one step back undoes
    the choice of another model.
    """
    page = visit("find-a-head?text=One day, a little frog was very sad. The")
    click_cell(drawn(page, 2), "ranking", (4, 4))
    expect_url(page, "/trained-heads", "th_open=true", "th_model=language+model", "!th_layer")
    expect(drawn(page, 3).get_by_text("86.2 %").first).to_be_visible()
    page.get_by_role("radio", name="MiniLM").click()
    expect_url(page, "th_model=MiniLM")
    settled(page).go_back()
    expect_url(page, "th_model=language+model")
    expect(drawn(page, 3).get_by_text("86.2 %").first).to_be_visible()
    page.get_by_role("button", name="Walk through this layer").click()
    expect_url(page, "/scores", "weights=language+model", "query=15", "key=6")
    settled(page).go_back()
    expect_url(page, "/trained-heads", "!weights=")
    drawn(page, 3).go_forward()
    expect_title(page, "Scores")
    settled(page).get_by_role("link", name="Softmax").first.click()
    expect_title(page, "Softmax")
    expect_url(settled(page), "weights=language+model")


@pytest.mark.every_situation
def test_an_arc_goes_to_a_word_and_opens_into_its_pieces(visit: Visit) -> None:
    page = visit("one-head?th_model=language+model&text=One day, a little frog was very sad. The")
    drawn(page, 3)
    arcs, words = page.locator(".arcs:visible").first, page.locator(".arc-word:visible")
    expect(words.filter(has_text="frog")).to_have_count(1)
    expect(arcs.locator("text.much")).to_have_text("87 %")
    arcs.locator("g").last.dispatch_event("click")  # the largest share is drawn last
    expect(words.filter(has_text="frog")).to_have_count(0)
    expect(arcs.locator("text.much")).to_have_text("86 %")
    expect_url(page, "th_cell=15-6-0")
    frog = settled(page).locator(".arc-word:visible").all_inner_texts()
    assert frog[6:10] == ["f", "r", "o", "g"]


@pytest.mark.every_situation
@pytest.mark.parametrize("size", [(1366, 768), (1280, 720)])
def test_the_story_of_the_frog_takes_a_click_and_a_window(
    go: Visit, page: Page, size: tuple[int, int]
) -> None:
    """The word, the head, what comes without it and what is written: all in sight; a second click
    on the head switches it on again.
    """
    page.set_viewport_size({"width": size[0], "height": size[1]})
    go("why-this-word?text=One day, a little frog was very sad. The")
    expect(drawn(page, 2).get_by_text("76.7 %").first).to_be_in_viewport()
    click_cell(page, "worth", (4, 4))
    expect_url(page, "why_off=36")
    for said in ("7.9 %", "87.1 %", "cat was very"):
        expect(page.get_by_text(said).first).to_be_in_viewport()
    panels = drawn(page, 2).locator(BOARD).first.locator("[data-panel]")
    for panel in panels.all():
        expect(panel).to_be_in_viewport(ratio=1)
    expect(page.locator(f"{BOARD} .arithmetic").first).to_be_in_viewport(ratio=1)
    click_cell(page, "worth", (4, 4))
    expect_url(settled(page), "!why_off")


@pytest.mark.parametrize("size", [(1366, 768), (1280, 720)])
def test_in_a_lecture_the_whole_model_ends_in_the_window(
    page: Page, app_url: str, size: tuple[int, int]
) -> None:
    opened(page, f"{app_url}/whole-model?present=true")
    resized(page, *size)
    box = box_of(page.locator(BOARD))
    assert box["y"] + box["height"] <= size[1]
    assert box["width"] > 0.9 * size[0]
