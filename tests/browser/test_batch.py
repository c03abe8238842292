"""A batch in the browser: a click on the picture of a sentence, what follows it, and one window."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import expect_result, expect_url, parameters, settled
from tests.browser.test_stage import SHOWN

pytestmark = pytest.mark.browser

BATCH = Scenario("we like green tea today", n_heads=2, batch="it slept\nthe dog ran")
QUERY = "text=we+like+green+tea+today&n_heads=2&batch=it+slept%0Athe+dog+ran&query=1&key=2"


def labelled(page: Page, token: str) -> None:
    """The arithmetic names the query of a token."""
    expect(page.locator(".arithmetic .what").first).to_contain_text(token)


def test_a_click_on_a_picture_shows_its_sentence(page: Page, app_url: str) -> None:
    scores = trace_of(BATCH).scores
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/scores?{QUERY}")
    settled(page)
    expect_result(page, float(scores[0, 0, 1, 2]))
    labelled(page, "like")
    page.get_by_role("button", name="2 →").click()
    expect_url(page, "sentence=2")
    labelled(page, "dog")
    expect_result(page, float(scores[2, 0, 1, 2]))
    page.get_by_role("button", name="Sentence 1: it slept").click()
    expect_url(page, "sentence=1")
    labelled(page, "slept")
    expect_result(page, float(scores[1, 0, 1, 2]))
    settled(page)
    picture = page.locator("section.board").nth(1).locator('[data-matrix="sentence 2"]')
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box
    page.mouse.click(box["x"] + 20, box["y"] + box["height"] - 4)  # its last row
    expect_url(page, "sentence=2", "query=4")
    settled(page)
    key = int(parameters(page).get("key", 0))
    expect_result(page, float(scores[2, 0, 4, key]))
    labelled(page, "[pad]")
    page.reload()
    settled(page)
    expect_result(page, float(scores[2, 0, 4, key]))


@pytest.mark.parametrize("step", ["split", "scores", "merge"])
def test_a_step_of_a_batch_stands_in_one_window(page: Page, app_url: str, step: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/{step}?{QUERY}")
    settled(page)
    shown = page.evaluate(SHOWN)
    matrices = [area for area in shown["matrices"] if not area["name"].startswith("sentence")]
    for area in (*matrices, shown["arithmetic"], shown["controls"]):
        assert area["y"] + area["height"] <= 720
        assert area["x"] + area["width"] <= 1281
    buttons = page.locator(".choice.sentences button")
    expect(buttons).to_have_count(3)
    for box in (button.bounding_box() for button in buttons.all()):
        assert box
        assert box["y"] + box["height"] <= 720
        assert box["width"] >= 24
