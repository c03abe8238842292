"""The pages about heads in a real browser: choices that stay in the URL, cells reached by keys,
nothing cut.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import (
    cell_at,
    expect_result,
    expect_title,
    expect_url,
    go_on,
    one_by_one,
    parameters,
    resized,
    settled,
)

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
SPACE = """* {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }"""
# The words that reach out of their buttons.
OUT_OF_BUTTONS = """() => [...document.querySelectorAll('[data-testid=stButtonGroup] button')]
  .map(button => [button.querySelector('p'), button.getBoundingClientRect()])
  .filter(([word]) => word)
  .map(([word, frame]) => [word.textContent, word.getBoundingClientRect(), frame])
  .map(([text, word, frame]) => [text, word.top < frame.top || word.bottom > frame.bottom])"""
CUT = "parts => parts.map(part => part.scrollWidth - part.clientWidth)"


def test_heads_are_switched_off_and_stay_off(visit: Visit) -> None:
    page = visit("head-worth")
    switches = page.get_by_test_id("stButtonGroup").filter(has_text="Heads that are switched off")
    switches.get_by_role("button", name="1", exact=True).click()
    expect_url(page, "off=1")
    settled(page)
    switches.get_by_role("button", name="3", exact=True).click()
    expect_url(page, "off=1.3")
    page.get_by_role("button", name="Change the bases").click()
    expect_url(page, "basis=1")
    settled(page).reload()
    settled(page)
    assert parameters(page) == {"head": "0", "off": "1.3", "basis": "1"}
    pressed = "all => all.filter(one => one.ariaPressed === 'true').map(one => one.innerText)"
    assert switches.get_by_role("button").evaluate_all(pressed) == ["1", "3"]


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
    stated = page.locator(".board .unseen[aria-live]").first
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


def test_one_wide_head_is_a_click_away_and_nothing_wide_is_cut(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    found = {}
    paths = ("head-portraits", "all-heads?heads_view=Lines", "arrays?notation=gml")
    for at in one_by_one(page, [f"{app_url}/{path}" for path in paths]):
        found[at.url] = at.locator("[class*=st-key-wide]").evaluate_all(CUT)
    assert {url: cut for url, cut in found.items() if not cut or max(cut) > 0} == {}
    go_on(page, "split?n_heads=2&d_model=8&head=1")
    page.get_by_role("button", name="Compare with one wide head").click()
    expect_title(page, "All heads")
    expect_url(page, "beside_one=true", "head=1")
