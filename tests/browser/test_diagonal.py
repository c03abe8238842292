"""The diagonal section in a real browser: clicks on its board, one laboratory on two pages, a run
that is stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_ui.registry import page_of
from tests.browser.driving import click_cell, expect_title, expect_url, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


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
        page.get_by_text(goal.heading, exact=True).first.click()
        page.get_by_test_id("stTopNavDropdownLink").filter(has_text=goal.title).click()
        expect_title(page, goal.title)
        expect(settled(page).get_by_text(expected).first).to_be_visible()
    expect_url(page, "lab_weights=tied", "lab_tokens=numbers")


def test_a_run_can_be_stopped_and_begun_again(visit: Visit) -> None:
    page = visit("growth?growth_kind=tied&growth_error=0.001&growth_seed=11")
    stop = page.get_by_role("button", name="Stop")
    expect(page.get_by_text("0 of 20 points")).to_be_visible()
    for _ in range(2):
        page.get_by_role("button", name="Draw tokens and measure").click()
        stop.click()
        expect(stop).to_have_count(0)
        expect(page.get_by_text(re.compile(r"^1?\d of 20 points"))).to_be_visible()
