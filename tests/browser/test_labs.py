"""What only a browser can show of the laboratories: training that is watched and left, and a
picture from a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import click_cell, expect_title, expect_url, go_on, settled
from tests.ui.picturing import pixels_of, png

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


def go(page: Page, title: str) -> None:
    """Go to a laboratory by the menu."""
    page.get_by_test_id("stTopNavSection").filter(has_text="Labs").click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()
    expect_title(page, title)
    settled(page)


def test_training_is_watched_stopped_and_continued(visit: Visit) -> None:
    page = visit("training?train_steps=20000&train_seed=77")
    button = page.locator(".st-key-train-go button")
    progress, step = page.get_by_test_id("stProgress"), page.get_by_test_id("stMetricValue").first
    button.press("Enter")
    for label in ("Stop", "Continue", "Stop"):
        expect(button).to_contain_text(label)
        expect(button).to_be_focused()
        expect(
            page.get_by_role("button", name=re.compile("^(Train|Stop|Continue)$"))
        ).to_have_count(1)
        if label == "Stop":
            expect(progress).to_contain_text(re.compile(r"[1-9]\d* of 20000"))
        button.press("Enter")
    expect(button).to_contain_text("Continue")
    button.press("Enter")
    expect(progress).to_contain_text(re.compile(r"[1-9]\d* of 20000"))
    go(page, "Lexicon")  # it stops where its page is left
    go(page, "Training: why several heads?")
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    reached = step.inner_text()
    assert 0 < int(reached.replace(",", "")) < 20_000
    page.wait_for_timeout(700)
    go(page, "Lexicon")
    go(page, "Training: why several heads?")
    expect(step).to_have_text(reached)


def test_pixels_are_clicked_and_numbers_typed_one_after_the_other(visit: Visit) -> None:
    page = visit("convolution")
    click_cell(page, "attention", (1, 6))
    expect_url(page, "conv_pixel=1-6")
    expect(page.get_by_role("heading", name="What the heads read for pixel (1, 6)")).to_be_visible()
    go_on(page, "convolution?conv_image=drawn")
    grid = page.get_by_test_id("stDataFrame")
    grid.locator(".dvn-scroller").click(position={"x": 20, "y": 50})
    editor = page.locator("#portal input")
    for digit in ("1", "2", "3"):
        page.keyboard.type(digit)
        expect(editor).to_have_value(digit)
        page.keyboard.press("Enter")
        expect_url(page, f"{digit}0900900-" if digit != "1" else "conv_drawn=10099000-")
        settled(page)
    column = grid.locator("tbody tr td:nth-child(1)")
    expect(column).to_have_text(["1", "2", "3", "0", "0", "0", "0", "0"])
    page.go_back()
    expect_url(page, "conv_drawn=10099000-20900900-00900900-")
    expect(column).to_have_text(["1", "2", "0", "0", "0", "0", "0", "0"])


def test_a_picture_from_a_file(visit: Visit) -> None:
    page = visit("convolution?conv_image=file")
    upload = page.get_by_test_id("stFileUploader").locator("input[type=file]")
    upload.set_input_files(
        {
            "name": "a.pgm",
            "mimeType": "image/x-portable-graymap",
            "buffer": b"P2 5 3 9 " + b"1 " * 15,
        }
    )
    expect(page.locator(".board .badge").first).to_have_text("3 × 5")
    picture = png(4, 2, pixels_of(b"abcd", b"efgh"))
    upload.set_input_files({"name": "c.png", "mimeType": "image/png", "buffer": picture})
    expect(page.locator(".board .badge").first).to_have_text("2 × 4")
    upload.set_input_files(
        {"name": "b.pgm", "mimeType": "image/x-portable-graymap", "buffer": b"P5 10000 10000 255 x"}
    )
    expect(page.get_by_test_id("stAlert")).to_contain_text("10,000 × 10,000")
    expect(page.locator(".board .badge").first).to_have_text("2 × 4")
    go(page, "Lexicon")
    go(page, "Convolution")
    expect(page.locator(".board .badge").first).to_have_text("2 × 4")
