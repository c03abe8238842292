"""Heads and the sentences of a batch in a real browser: choices that stay in the URL, cells reached
by keys, nothing cut.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import (
    BOARD,
    Visit,
    cell_at,
    expect_result,
    expect_url,
    parameters,
    resized,
    settled,
)
from tests.browser.test_stage import SHOWN, beyond

SPACE = """* {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }"""
# The words that reach out of their buttons.
OUT_OF_BUTTONS = """() => [...document.querySelectorAll('[data-testid=stButtonGroup] button')]
  .map(button => [button.querySelector('p'), button.getBoundingClientRect()])
  .filter(([word]) => word)
  .map(([word, frame]) => [word.textContent, word.getBoundingClientRect(), frame])
  .map(([text, word, frame]) => [text, word.top < frame.top || word.bottom > frame.bottom])"""


@pytest.mark.every_situation
def test_every_cell_of_all_heads_is_in_sight_and_reached_by_keys(visit: Visit) -> None:
    page = resized(visit("all-heads?subset=0.3"), 1366, 768)
    tiles = page.locator("[data-panel='probabilities tiles']")
    box = tiles.bounding_box()
    assert box is not None
    assert box["y"] < 400
    assert page.locator(".board .legend .share").first.is_visible()
    tiles.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
    share = trace_of(Scenario()).probabilities[0, 3, 2, 1]
    expect_result(page, float(share))
    stated = page.locator(f"{BOARD} .unseen[aria-live]").first
    for said in ("head 3", "query position 2 did", "key position 1 animal"):
        expect(stated).to_contain_text(said)
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect_url(page, "head=3", "query=2", "key=11")
    page.add_style_tag(content=SPACE)
    words = settled(page).evaluate(OUT_OF_BUTTONS)
    assert len(words) > 8
    assert [word for word, is_out in words if is_out] == []
    page = visit("all-heads?n_tokens=64&n_heads=12&d_model=24")
    assert page.locator(".board .window").count() == 0, "nothing is left out of the picture"
    for index in ([0, 0, 0, 0], [0, 11, 63, 63]):
        cell_at(page, "probabilities", index)


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
    found = beyond([*areas, shown["arithmetic"], shown["controls"], *buttons], (1280, 720))
    return [*found, *(box for box in buttons if box["width"] < 24)]


@pytest.mark.every_situation
def test_a_reader_goes_from_sentence_to_sentence_of_a_batch(page: Page, go: Visit) -> None:
    scores = trace_of(BATCH).scores
    page.set_viewport_size({"width": 1280, "height": 720})
    found = {}
    for step in ("split", "merge", "scores"):
        if beyond := beyond_the_window(go(f"{step}?{QUERY}")):
            found[step] = beyond
    assert found == {}
    expect_share(page, float(scores[0, 0, 1, 2]), "like")
    page.get_by_role("button", name="Sentence 2: the dog ran").click()
    expect_url(page, "sentence=2")
    expect_share(page, float(scores[2, 0, 1, 2]), "dog")
    page.get_by_role("button", name="Sentence 1: it slept").click()
    expect_url(page, "sentence=1")
    expect_share(page, float(scores[1, 0, 1, 2]), "slept")
    picture = settled(page).locator(BOARD).nth(1).locator('[data-matrix="sentence 2"]')
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box
    page.mouse.click(box["x"] + 20, box["y"] + box["height"] - 4)  # its last row
    expect_url(page, "sentence=2", "query=4")
    key = int(parameters(settled(page)).get("key", 0))
    expect_share(page, float(scores[2, 0, 4, key]), "[pad]")
    page.reload()
    expect_result(settled(page), float(scores[2, 0, 4, key]))
