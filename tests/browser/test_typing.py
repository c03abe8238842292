"""Typing numbers on the cells of a board in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import click_cell, expect_url, hover_cell, settled
from tests.browser.test_board import PRIME, SCENARIO, Visit, expect_cell

pytestmark = pytest.mark.browser


def test_typing_on_a_cell_changes_the_layer(visit: Visit) -> None:
    page = visit(f"projections?{PRIME}")
    click_cell(page, "w_q", (2, 1))
    expect_url(page, "feature=1")
    settled(page)
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


def test_a_number_left_as_it_was_is_no_edit(visit: Visit) -> None:
    page = visit(f"projections?{PRIME}&whole=true")
    for column, keys in ((1, ["F2", "Enter"]), (2, ["9", "Enter"])):
        click_cell(page, "w_q", (2, column))
        expect_url(page, f"pin=projection.w_q.2-{column}")
        settled(page)
        for key in keys:
            page.keyboard.press(key)
    expect_url(page, "edits=wq_2_2_9")


def test_a_number_typed_is_taken_when_one_goes_elsewhere(visit: Visit) -> None:
    page = visit(f"projections?{PRIME}&whole=true")
    for column, keys, click in ((1, ["8", "Escape"], False), (2, ["-"], True), (3, ["7"], True)):
        click_cell(page, "w_q", (2, column))
        expect_url(page, f"pin=projection.w_q.2-{column}")
        settled(page)
        for key in keys:
            page.keyboard.press(key)
        if click:
            page.locator("h1").click()
    expect_url(page, "edits=wq_2_3_7")


def test_a_refusal_is_in_sight_on_a_phone(visit: Visit) -> None:
    page = visit("tokens")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    click_cell(page, "inputs", (0, 1, 7))  # the last column that is shown
    expect_url(page, "feature=7")
    settled(page)
    page.keyboard.type("1 x")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Type a number such as")).to_be_in_viewport(ratio=1)
