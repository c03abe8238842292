"""The first example in a browser: in the URL, one entry of the history; and what a trained
layer's sizes do to it.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import trace_of
from attention_ui.presets import presets
from tests.browser.driving import (
    click_cell,
    expect_result,
    expect_url,
    parameters,
    scenario_in,
    score_at,
    settled,
)

pytestmark = pytest.mark.browser
FIRST = presets()[0]


def test_the_first_example_is_one_entry_of_the_history(page: Page, app_url: str) -> None:
    page.goto(app_url)  # the first visitor of a server comes to its first page first
    settled(page).goto("about:blank")
    page.goto(f"{app_url}/scores")
    expect_url(page, "weights=by+hand", "query=8", "key=1")
    settled(page)
    assert scenario_in(page) == FIRST.scenario
    expect_result(page, score_at(trace_of(FIRST.scenario), 0, 8, 1))
    told = parameters(page)
    settled(page).reload()
    settled(page)
    assert parameters(page) == told
    click_cell(page, "scores", (0, 0, 9, 1))
    expect_url(page, "query=9")
    settled(page).go_back()
    expect_url(page, "query=8")
    page.go_back()
    expect(page).to_have_url("about:blank")


def test_a_trained_layer_shows_its_sizes_and_keeps_the_others(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?d_model=24&n_heads=3&weights=trained")
    settled(page)
    size = page.get_by_label("Embedding size", exact=True).and_(page.locator(":visible"))
    expect(size).to_have_value("384")
    expect(size).to_be_disabled()
    assert (parameters(page)["d_model"], parameters(page)["n_heads"]) == ("24", "3")
    page.get_by_text("Weights", exact=True).first.click()
    page.get_by_role("combobox", name=re.compile("Weights")).click()
    page.get_by_role("option", name="tied", exact=True).click()
    expect_url(page, "weights=tied", "d_model=24", "n_heads=3")
    expect(settled(page).get_by_label("Embedding size", exact=True)).to_have_count(1)
    expect(page.get_by_label("Embedding size", exact=True)).to_have_value("24")
