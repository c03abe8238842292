"""What only a browser can show of the laboratories: training that is watched and left, and a
picture from a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.driving import click_cell, expect_title, expect_url, settled
from tests.ui.picturing import pixels_of, png

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


def go(page: Page, title: str) -> None:
    """Go to a laboratory by the menu."""
    page.get_by_test_id("stTopNavSection").filter(has_text="Labs").click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()
    expect_title(page, title)
    settled(page)


def test_training_is_watched_and_stops_when_the_page_is_left(visit: Visit) -> None:
    page = visit("training?train_steps=20000&train_seed=77")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_test_id("stProgress")).to_contain_text(re.compile(r"[1-9]\d* of 20000"))
    go(page, "Lexicon")
    go(page, "Training: why several heads?")
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    step = page.get_by_test_id("stMetricValue").first.inner_text()
    assert 0 < int(step.replace(",", "")) < 20_000
    page.wait_for_timeout(700)
    go(page, "Lexicon")
    go(page, "Training: why several heads?")
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(step)


def test_two_visitors_train_for_themselves(context: BrowserContext, app_url: str) -> None:
    assert context.browser is not None
    one, other = (context.browser.new_context().new_page() for _ in range(2))
    for page in (one, other):
        page.goto(f"{app_url}/training?train_steps=300&train_seed=79")
        expect(page.locator(".st-key-train-go button")).to_contain_text("Train")
    one.locator(".st-key-train-go button").click()
    expect(one.locator(".st-key-train-go button")).to_contain_text("Train again")
    expect(one.get_by_test_id("stMetricValue").first).to_have_text("300")
    other.reload()
    button = other.locator(".st-key-train-go button")
    expect(button).to_contain_text("Train")
    expect(button).not_to_contain_text("again")
    expect(other.get_by_test_id("stMetricValue").first).to_have_text("0")
    button.click()
    expect(button).to_contain_text("Train again")
    button.click()
    expect(other.get_by_test_id("stProgress")).to_be_visible()
    expect(button).to_contain_text("Train again")
    expect(other.get_by_test_id("stMetricValue").first).to_have_text("300")
    for page in (one, other):
        page.context.close()


def test_one_button_trains_and_stops(visit: Visit) -> None:
    page = visit("training?train_steps=20000&train_seed=78")
    button = page.locator(".st-key-train-go button")
    button.press("Enter")
    for label in ("Stop", "Continue", "Stop"):
        expect(button).to_contain_text(label)
        expect(button).to_be_focused()
        expect(
            page.get_by_role("button", name=re.compile("^(Train|Stop|Continue)$"))
        ).to_have_count(1)
        if label == "Stop":
            expect(page.get_by_test_id("stProgress")).to_contain_text(
                re.compile(r"[1-9]\d* of 20000")
            )
        button.press("Enter")
    expect(button).to_contain_text("Continue")


def test_numbers_are_typed_one_after_the_other(visit: Visit) -> None:
    page = visit("convolution?conv_kernel=own")
    grid = page.get_by_test_id("stDataFrame")
    grid.locator(".dvn-scroller").click(position={"x": 20, "y": 50})
    editor = page.locator("#portal textarea")
    for digit, row in (("1", "1+1+0"), ("2", "2+-4+1"), ("3", "3+1+0")):
        page.keyboard.type(digit)
        expect(editor).to_have_value(digit)
        page.keyboard.press("Enter")
        expect_url(page, row)
        settled(page)
    column = grid.locator("tbody tr td:nth-child(1)")
    expect(column).to_have_text(["1", "2", "3"])
    page.go_back()
    expect_url(page, "2+-4+1", "!3+1+0")
    expect(column).to_have_text(["1", "2", "0"])


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


def test_a_clicked_pixel(visit: Visit) -> None:
    page = visit("convolution")
    click_cell(page, "attention", (1, 6))
    expect_url(page, "conv_pixel=1-6")
    expect(page.get_by_role("heading", name="What the heads read for pixel (1, 6)")).to_be_visible()
