"""A head is built by clicking and typing, and a test is taken by keys, on a laptop and a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_lab.by_hand import HANDMADE_FEATURES
from tests.browser.driving import click_cell, expect_url, go_on, resized, settled
from tests.browser.test_every_page import violations

pytestmark = pytest.mark.browser


def test_a_head_is_built_and_a_test_is_taken(visit: Callable[[str], Page]) -> None:
    page = visit("construct?construct_task=Copy%20the%20first%20token")
    page.get_by_role("button", name="Start from here").click()
    settled(page)
    for matrix, row, value in (("w_q", "one", "40"), ("w_k", "cos", "1")):
        page.get_by_role("radio", name=matrix.upper(), exact=True).click()
        expect(page.locator(f"[data-matrix={matrix}]")).to_be_visible()
        settled(page)
        click_cell(page, matrix, (HANDMADE_FEATURES.index(row), 0))
        settled(page)
        page.locator(f"[data-matrix={matrix}]").first.focus()
        page.keyboard.press(value[0])
        page.locator(".editor").fill(value)
        page.keyboard.press("Enter")
        settled(page)
        expect_url(page, f"{matrix.replace('_', '')}_{HANDMADE_FEATURES.index(row)}_0_{value}")
    expect(page.get_by_test_id("stAlertContentSuccess")).to_be_visible()
    expect_phone(page)
    go_on(page, "before-and-after?form=A")
    expect(page.locator("code", has_text="A-0000000000")).to_be_visible()
    page.get_by_role("radiogroup").first.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    expect(page.locator("code", has_text="A-1000000000")).to_be_visible()
    expect_phone(page)


def expect_phone(page: Page) -> None:
    """A page fits a phone, and everybody can read it there."""
    resized(page, 390, 844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []
