"""A batch in the browser: its sentences are chosen by buttons and by their pictures."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import expect_result, expect_url, one_by_one, parameters, settled
from tests.browser.test_stage import SHOWN

pytestmark = pytest.mark.browser

BATCH = Scenario("we like green tea today", n_heads=2, batch="it slept\nthe dog ran")
QUERY = "text=we+like+green+tea+today&n_heads=2&batch=it+slept%0Athe+dog+ran&query=1&key=2"


def expect_share(page: Page, value: float, token: str) -> None:
    """The arithmetic ends in a number and names the query of a token."""
    expect(page.locator(".arithmetic .what").first).to_contain_text(token)
    expect_result(page, value)


def beyond_the_window(page: Page) -> list[object]:
    """What of a step reaches out of its window; the buttons of the sentences too small to hit."""
    shown = page.evaluate(SHOWN)
    areas = [area for area in shown["matrices"] if not area["name"].startswith("sentence")]
    buttons = [one.bounding_box() for one in page.locator(".choice.sentences button").all()]
    assert len(buttons) == 3
    return [
        area
        for area in (*areas, shown["arithmetic"], shown["controls"], *buttons)
        if area["y"] + area["height"] > 720 or area["x"] + area["width"] > 1281
    ] + [box for box in buttons if box["width"] < 24]


def test_a_reader_goes_from_sentence_to_sentence_of_a_batch(page: Page, app_url: str) -> None:
    scores = trace_of(BATCH).scores
    page.set_viewport_size({"width": 1280, "height": 720})
    found = {}
    urls = [f"{app_url}/{step}?{QUERY}" for step in ("split", "merge", "scores")]
    for at in one_by_one(page, urls):
        if beyond := beyond_the_window(at):
            found[at.url] = beyond
    assert found == {}
    expect_share(page, float(scores[0, 0, 1, 2]), "like")
    page.get_by_role("button", name="2 →").click()
    expect_url(page, "sentence=2")
    expect_share(page, float(scores[2, 0, 1, 2]), "dog")
    page.get_by_role("button", name="Sentence 1: it slept").click()
    expect_url(page, "sentence=1")
    expect_share(page, float(scores[1, 0, 1, 2]), "slept")
    picture = settled(page).locator("section.board").nth(1).locator('[data-matrix="sentence 2"]')
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box
    page.mouse.click(box["x"] + 20, box["y"] + box["height"] - 4)  # its last row
    expect_url(page, "sentence=2", "query=4")
    key = int(parameters(settled(page)).get("key", 0))
    expect_share(page, float(scores[2, 0, 4, key]), "[pad]")
    page.reload()
    expect_result(settled(page), float(scores[2, 0, 4, key]))
