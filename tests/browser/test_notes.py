"""What a stage says of its numbers is in sight, and its buttons do what they say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import expect_url, parameters, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


@pytest.mark.parametrize("size", [(1366, 768), (1280, 720), (1000, 700), (390, 844)])
@pytest.mark.parametrize("name", ["overview", "scores", "softmax"])
def test_random_weights_lead_to_a_trained_head(
    visit: Visit, page: Page, name: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    visit(f"{name}?head=0&text=the%20dog%20chased%20it")
    note, button = page.locator(".words .note"), page.locator(".words .note button")
    words, inner = page.locator(".board .words").bounding_box(), button.bounding_box()
    assert words
    assert inner
    assert inner["y"] + inner["height"] <= min(words["y"] + words["height"] + 1, size[1])
    button.click()
    expect_url(page, "weights=trained")
    settled(page)
    assert page.url.split("?")[0].endswith(f"/{name}")
    assert parameters(page)["text"] == "the dog chased it"
    expect(note).to_have_count(0)
