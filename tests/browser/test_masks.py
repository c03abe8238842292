"""The pages about masks in a real browser: painting by mouse and by keys, and what a link
carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_lab.masks.mistakes import hidden_mistake
from attention_lab.user_data.painted_masks import mask_from_text
from attention_ui.masks.break_it import MISTAKE_NAMES
from tests.browser.driving import click_cell, expect_url, go_on, parameters, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
PAINT = 1  # the second board of the mask workshop


def hidden_cells(page: Page) -> list[list[int]]:
    """The cells that the painted mask in the URL hides."""
    return np.argwhere(~mask_from_text(parameters(page)["painted"])).tolist()


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


def test_masks_are_tried_by_keys_met_in_use_and_a_mistake_is_found(visit: Visit) -> None:
    page = visit("mask")
    for mask in ("causal", "padding", "window"):
        page.get_by_role("button", name=mask, exact=True).press("Enter")
        expect_url(page, f"mask={mask}")
        expect(settled(page).get_by_role("button", name=f"✓ {mask}", exact=True)).to_be_focused()
        expect(page.get_by_role("button").filter(has_text="✓")).to_have_count(1)
    page.get_by_role("button", name="none", exact=True).press("Enter")
    expect_url(page, "!mask=")
    expect(settled(page).get_by_role("button", name="✓ none", exact=True)).to_be_focused()
    click_cell(go_on(page, "encoder-decoder"), "scores decoder", (3, 1))
    expect_url(page, "ed_use=decoder", "ed_cell=3.1")
    settled(page)
    go_on(page, "break-it?bi_spot=true&bi_round=3")
    stated = page.get_by_test_id("stAlert")
    expect(stated).to_have_count(0)
    page.get_by_text("Show the answer").click()
    expect(stated).to_contain_text(MISTAKE_NAMES[hidden_mistake(3).key])
    page.get_by_role("button", name="Next round").click()
    expect_url(page, "bi_round=4", "!bi_answer")
    expect(stated).to_have_count(0)
