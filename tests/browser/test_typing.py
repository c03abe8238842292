"""Typing numbers on the cells of a board in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import click_cell, expect_url, hover_cell, opened, resized, settled
from tests.browser.test_board import PRIME, SCENARIO, expect_cell

pytestmark = pytest.mark.browser


def test_typing_on_a_cell_changes_the_layer(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/projections?{PRIME}")
    click_cell(page, "w_q", (2, 1))
    expect_url(page, "feature=1")
    settled(page)
    page.keyboard.press("F2")  # a number left as it was is no edit
    page.keyboard.press("Enter")
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    expect_url(page, "edits=wq_2_1_9")
    edited = trace_of(Scenario(**(vars(SCENARIO) | {"edits": "wq_2_1_9"})))
    hover_cell(settled(page), "queries", (0, 3, 1))
    expect_cell(page, edited, "queries", (0, 3, 1))
    page.get_by_role("button", name="Undo").click()
    expect_url(page, "!edits")
    hover_cell(settled(page), "queries", (0, 3, 1))
    expect_cell(page, trace_of(SCENARIO), "queries", (0, 3, 1))

    opened(resized(page, 390, 844), f"{app_url}/tokens?seed=0")  # a refusal is in sight on a phone
    click_cell(page, "inputs", (0, 1, 7))  # the last column that is shown
    expect_url(page, "feature=7")
    settled(page).keyboard.type("1 x")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Type a number such as")).to_be_in_viewport(ratio=1)
