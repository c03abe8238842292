"""One step back in the browser takes one act back, in a page and from page to page."""

from __future__ import annotations

from playwright.sync_api import expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import (
    Visit,
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
    steps = page.get_by_role("navigation", name="Pages of this chapter")
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
