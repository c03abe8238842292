"""The pages about heads in a real browser: choices that stay in the address."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import expect_address, parameters, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


def test_switched_off_heads_stay_in_the_address(visit: Visit) -> None:
    """Switching heads off and turning the bases is in the address; a reload shows the same."""
    page = visit("head-worth")
    switches = page.get_by_test_id("stButtonGroup").filter(has_text="Heads that are switched off")
    switches.get_by_role("button", name="1", exact=True).click()
    expect_address(page, "off=1")
    settled(page)
    switches.get_by_role("button", name="3", exact=True).click()
    expect_address(page, "off=1.3")
    page.get_by_role("button", name="Turn the bases").click()
    expect_address(page, "basis=1")
    settled(page).reload()
    settled(page)
    assert parameters(page) == {"head": "0", "off": "1.3", "basis": "1"}
    expect(page.get_by_text("Without heads 1 and 3 the output moves by")).to_be_visible()
    expect(page.get_by_text("Unchanged but for rounding")).to_be_visible()


@pytest.mark.parametrize("path", ["head-portraits", "all-heads", "arrays?notation=gml"])
def test_nothing_wide_is_cut_in_a_small_window(visit: Visit, page: Page, path: str) -> None:
    """At 1,024 px beside the sidebar, wide pictures and tables are whole, to their last column."""
    page.set_viewport_size({"width": 1024, "height": 768})
    cut = "parts => parts.map(part => part.scrollWidth - part.clientWidth)"
    found = visit(path).locator("[class*=st-key-wide]").evaluate_all(cut)
    assert found
    assert max(found) <= 0
