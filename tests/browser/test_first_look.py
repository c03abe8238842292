"""The first example in a browser: in the URL, one entry of the history."""

from __future__ import annotations

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
