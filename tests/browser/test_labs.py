"""The laboratories in a real browser: runs that are watched and stopped, matrices that are painted
and typed.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_lab.page_list import page_of
from attention_lab.user_data.painted_masks import mask_from_text
from tests.browser.driving import Visit, click_cell, expect_title, expect_url, parameters, settled


def turned_to(page: Page, title: str) -> None:
    """Go to another page of the chapter."""
    page.locator(".strip .steps").first.get_by_role("link", name=title, exact=True).click()
    expect_title(page, title)
    settled(page)


@pytest.mark.every_situation
def test_training_is_watched_stopped_and_continued(visit: Visit) -> None:
    page = visit("training?train_steps=20000&train_seed=77")
    button, step = page.locator(".st-key-training-go button"), page.get_by_text("Trained:")
    for label in ("Stop", "Continue", "Stop"):
        button.press("Enter")
        expect(button).to_contain_text(label)
        expect(button).to_be_focused()
        if label == "Stop":
            expect(step).to_contain_text(re.compile(r"Trained: [1-9][\d,]* of 20,000 "))
    button.press("Enter")
    expect(button).to_contain_text("Continue")
    reached = settled(page).get_by_text("Trained:").inner_text()
    turned_to(page, "Convolution")
    turned_to(page, "Training: why several heads?")
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    expect(step).to_have_text(reached)


@pytest.mark.every_situation
def test_pixels_are_clicked_and_a_kernel_is_typed(visit: Visit) -> None:
    page = visit("convolution")
    click_cell(page, "attention", (1, 6))
    expect_url(page, "conv_pixel=1-6")
    expect(page.get_by_role("heading", name="What the heads read for pixel (1, 6)")).to_be_visible()
    visit("convolution?conv_kernel=own")
    field = page.get_by_role("textbox", name="Own kernel")
    field.fill("1 0 0, 0 0 0, 0 0 2.50")
    field.press("Enter")
    expect_url(page, "conv_own=1+0+0%2C+0+0+0%2C+0+0+2.5")
    settled(page)
    field.fill("1 0 0, 0 0 0, 0 0 x")
    field.press("Enter")
    expect(page.get_by_test_id("stToast")).to_contain_text("'x'")
    expect(field).to_have_value("1 0 0, 0 0 0, 0 0 2.5")
    page.go_back()
    expect_url(page, "!conv_own")


@pytest.mark.every_situation
def test_a_laboratory_is_set_on_one_page_and_found_on_another(visit: Visit) -> None:
    page = visit("self-attention-mass?lab_tokens=drawn&lab_n_tokens=20&lab_weights=tied")
    click_cell(page, "probabilities", (17, 2))
    expect_url(page, "lab_cell=17-2", "!query=17")
    expect(page.get_by_text("i = 17, j = 2")).to_be_visible()
    settled(page).get_by_role("button", name="Equal norms").click()
    expect_url(page, "lab_tokens=numbers", "lab_numbers=3%2C4")
    settled(page).reload()
    expect(settled(page).get_by_role("textbox", name="Such as")).to_have_value(
        "3,4; 5,0; -4,3; 0,-5; 4,-3"
    )
    page.go_back()
    expect_url(page, "!lab_numbers", "lab_tokens=drawn")
    settled(page).get_by_role("button", name="X = [1, 2, 3]").click()
    expect_url(page, "lab_tokens=numbers", "!lab_weights")
    settled(page)
    weights = page.get_by_role("combobox", name=re.compile("Weights")).last
    weights.scroll_into_view_if_needed()
    settled(page)  # a list that is open closes where the page is scrolled
    weights.click()
    page.get_by_role("option", name="tied", exact=True).click()
    expect_url(page, "lab_weights=tied")
    for url_path, expected in (("propositions", "S4, S5"), ("self-attention-mass", "of 3")):
        goal = page_of(url_path)
        turned_to(page, goal.title)
        expect(page.get_by_text(expected).first).to_be_visible()
    expect_url(page, "lab_weights=tied", "lab_tokens=numbers")


PAINT = 1  # the second board of the mask workshop


def hidden_cells(page: Page) -> list[list[int]]:
    """The cells that the painted mask in the URL hides."""
    return np.argwhere(~mask_from_text(parameters(page)["painted"])).tolist()


@pytest.mark.every_situation
def test_a_mask_is_painted_by_mouse_and_by_keys_and_opened_by_its_link(visit: Visit) -> None:
    page = visit("mask-workshop")
    click_cell(page, "painted", (4, 1), PAINT)
    expect_url(page, "painted=")
    expect(page.get_by_text(re.compile(r"\b1 of 144\b"))).to_be_visible()
    assert hidden_cells(settled(page)) == [[4, 1]]
    matrix = page.locator('[data-panel="painted"]')
    matrix.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"\b2 of 144\b"))).to_be_visible()
    assert hidden_cells(settled(page)) == [[4, 1], [4, 2]]
    again = visit(page.url.split("/", 3)[3])
    expect(again.get_by_text(re.compile(r"\b2 of 144\b"))).to_be_visible()
    click_cell(again, "painted", (4, 2), PAINT)
    expect(again.get_by_text(re.compile(r"\b1 of 144\b"))).to_be_visible()
    click_cell(again, "painted", (4, 1), PAINT)
    expect_url(again, "!painted=")
