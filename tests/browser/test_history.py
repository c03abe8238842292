"""One step back in the browser takes one act back, in a page and from page to page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import (
    click_cell,
    expect_result,
    expect_title,
    expect_url,
    parameters,
    path_of,
    scenario_in,
    score_at,
    settled,
)

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


def test_back_takes_one_act_back_and_forward_does_it_again(visit: Visit) -> None:
    page = visit("tokens?n_heads=2&mask=causal")
    page.get_by_role("link", name="Scores", exact=True).first.click()
    expect_title(page, "Scores")
    entries = settled(page).evaluate("history.length")
    trace = trace_of(Scenario(n_heads=2, mask="causal"))
    click_cell(page, "scores", [0, 0, 2, 3])
    expect_url(page, "query=2", "key=3")
    assert settled(page).evaluate("history.length") == entries + 1
    page.go_back()
    expect_url(page, "!query", "!key", "!unset")
    expect(settled(page).get_by_label("Query", exact=True)).to_have_value("0 · The")
    expect_result(page, score_at(trace, 0, 0, 0))
    page.go_forward()
    expect_url(page, "query=2", "key=3")
    expect_result(settled(page), score_at(trace, 0, 2, 3))
    steps = page.get_by_role("navigation", name="Steps of the story")
    expect(steps.locator("[aria-current=page]")).to_have_text("Scores")
    steps.get_by_role("link", name="Mask").click()
    expect_title(page, "Mask")
    settled(page)
    assert parameters(page) == {"n_heads": "2", "mask": "causal", "query": "2", "key": "3"}
    for title in ("Scores", "Scores", "Tokens"):
        page.go_back()
        expect_title(page, title)
        settled(page)
        assert scenario_in(page) == Scenario(n_heads=2, mask="causal")
    assert path_of(page) == "tokens"


@pytest.mark.every_situation
def test_what_follows_from_a_control_is_no_act_of_its_own(visit: Visit) -> None:
    page = visit("scores")
    click_cell(page, "scores", [0, 0, 9, 7])
    expect_url(page, "query=9", "key=7")
    entries = settled(page).evaluate("history.length")
    sentence = page.get_by_label("Sentence", exact=True)
    sentence.fill("one two three")
    sentence.press("Enter")
    expect_url(page, "text=one+two+three", "query=2", "key=1")
    assert settled(page).evaluate("history.length") == entries
    page.go_back()
    expect_url(page, "!text", "!query", "!key")
    expect(settled(page).get_by_test_id("stToast")).to_have_count(0)


@pytest.mark.every_situation
def test_what_was_undone_or_left_comes_back(go: Visit) -> None:
    page = go("projections?edits=wq_0_0_9")
    page.get_by_role("button", name="Undo").click()
    expect_url(page, "!edits")
    settled(page).go_back()
    expect_url(page, "edits=wq_0_0_9")
    settled(page).go_forward()
    expect_url(page, "!edits", "!unset")
    expect(settled(page).get_by_role("button", name="Undo")).to_have_count(0)
    go("break-it?bi_spot=true&bi_round=4")
    page.locator("[data-testid=stTopNavSection]").first.click()
    page.locator("a[data-testid^=stTopNav]", has_text="Split").first.click()
    expect_title(page, "Split")
    settled(page).go_back()
    expect_title(page, "What changes?")
    expect_url(page, "change=hidden", "bi_round=4")
    expect(settled(page).get_by_label("Round", exact=True)).to_have_value("4")


@pytest.mark.every_situation
def test_a_pinned_operand_is_in_the_url(visit: Visit) -> None:
    page = visit("scores")
    entries = page.evaluate("history.length")
    click_cell(page, "query_heads", [0, 0, 2, 1])
    expect_url(page, "query=2", "feature=1", "pin=scores.query_heads.0-0-2-1")
    assert settled(page).evaluate("history.length") == entries + 1
    told, app_url = page.locator(".arithmetic").first.inner_text(), page.url
    page.go_back()
    expect_url(page, "!query", "!feature", "!pin")
    expect_result(page, score_at(trace_of(Scenario()), 0, 0, 0))
    page.goto(app_url)
    settled(page)
    expect(page.locator(".arithmetic").first).to_have_text(told, use_inner_text=True)
