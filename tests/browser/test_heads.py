"""The pages about heads in a real browser: choices that stay in the URL."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import (
    cell_at,
    expect_result,
    expect_url,
    parameters,
    settled,
)

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


def test_the_url_holds_switched_off_heads(visit: Visit) -> None:
    page = visit("head-worth")
    switches = page.get_by_test_id("stButtonGroup").filter(has_text="Heads that are switched off")
    switches.get_by_role("button", name="1", exact=True).click()
    expect_url(page, "off=1")
    settled(page)
    switches.get_by_role("button", name="3", exact=True).click()
    expect_url(page, "off=1.3")
    settled(page).reload()
    settled(page)
    assert parameters(page) == {"head": "0", "off": "1.3"}
    pressed = "all => all.filter(one => one.ariaPressed === 'true').map(one => one.innerText)"
    assert switches.get_by_role("button").evaluate_all(pressed) == ["1", "3"]


@pytest.mark.parametrize(
    "path", ["head-portraits", "all-heads?heads_view=Lines", "arrays?notation=gml"]
)
def test_nothing_wide_is_cut_in_a_small_window(visit: Visit, page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    cut = "parts => parts.map(part => part.scrollWidth - part.clientWidth)"
    found = visit(path).locator("[class*=st-key-wide]").evaluate_all(cut)
    assert found
    assert max(found) <= 0


def test_the_keyboard_reaches_every_cell_of_all_heads(visit: Visit) -> None:
    page = visit("all-heads?subset=0.3")
    page.locator("[data-panel='probabilities tiles']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
    share = trace_of(Scenario()).probabilities[0, 3, 2, 1]
    expect_result(page, float(share))
    stated = page.locator(".board .unseen[aria-live]").first
    expect(stated).to_contain_text("head 3")
    expect(stated).to_contain_text("query position 2 did")
    expect(stated).to_contain_text("key position 1 animal")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect_url(page, "head=3", "query=2", "key=11")


def test_the_first_line_of_heads_is_in_sight(visit: Visit) -> None:
    page = visit("all-heads")
    page.set_viewport_size({"width": 1366, "height": 768})
    settled(page)
    first = page.locator("[data-panel='probabilities tiles']")
    box = first.bounding_box()
    assert box is not None
    assert box["y"] < 400
    assert page.locator(".board .legend .share").first.is_visible()
    page = visit("all-heads?n_tokens=64&n_heads=12&d_model=24")
    assert page.locator(".board .window").count() == 0, "nothing is left out of the picture"
    for index in ([0, 0, 0, 0], [0, 11, 63, 63]):
        cell_at(page, "probabilities", index)
