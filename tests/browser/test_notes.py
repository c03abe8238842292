"""What a stage says of its numbers is in sight, and its buttons do what they say."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    box_of,
    expect_url,
    one_by_one,
    parameters,
    path_of,
    resized,
    settled,
)

pytestmark = pytest.mark.browser
WINDOWS = [(1366, 768), (1280, 720), (1000, 700), (390, 844)]


def test_random_weights_lead_to_a_trained_head(page: Page, app_url: str) -> None:
    names = ("overview", "scores", "softmax")
    note, button = page.locator(".words .note"), page.locator(".words .note button")
    found = {}
    for at in one_by_one(page, [f"{app_url}/{name}?head=0&text=the+dog" for name in names]):
        name = path_of(at)
        for window in WINDOWS:
            words = box_of(resized(at, *window).locator(".board .words"))
            inner = box_of(button)
            end = min(words["y"] + words["height"] + 1, window[1])
            if inner["y"] + inner["height"] > end:
                found[name, window] = (words, inner)
        button.click()
        expect_url(at, "weights=trained")
        settled(at)
        assert (path_of(at), parameters(at)["text"]) == (name, "the dog")
        expect(note).to_have_count(0)
    assert found == {}
