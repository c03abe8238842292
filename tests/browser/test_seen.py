"""The last page of the story in a real browser: a token before and after, one above the other."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import box_of, opened

pytestmark = pytest.mark.browser
# The numbers of an array as the page's only board with such a panel draws them, and where it is.
DRAWN = """panel => {
  const {x, y} = panel.getBoundingClientRect();
  let board = panel;
  while (!board.numbers) board = board.parentElement;
  return {...board.numbers(panel.dataset.matrix), x, y};
}"""


def test_the_story_ends_with_what_the_heads_add(page: Page, app_url: str) -> None:
    places = {}
    for name in ("output", "seen", "practice"):
        opened(page, f"{app_url}/{name}?guess=false&query=5")
        strip, title = box_of(page.locator(".strip .here")), box_of(page.locator("h1"))
        places[name] = np.array((strip["y"], strip["height"], title["x"], title["y"]))
        if name == "seen":
            expect_sum(page)
    for name in ("seen", "practice"):
        assert (abs(places[name] - places["output"]) < (1, 1, 2, 12)).all()


def expect_sum(page: Page) -> None:
    """What the heads add stands above its sum, all numbers written."""
    names = ("inputs", "output", "head_contributions")
    panels = [page.locator(f"[data-matrix={name}]").first for name in names]
    before, after, adds = parts = [panel.evaluate(DRAWN) for panel in panels]
    assert before["y"] < adds["y"] < after["y"]
    assert abs(adds["x"] - after["x"]) < 2
    assert min(part["letters"] for part in parts) >= 13
    trace = trace_of(Scenario())
    np.testing.assert_allclose(before["data"], trace.inputs[0, 5], atol=1e-5)
    np.testing.assert_allclose(after["data"], trace.output[0, 5], atol=1e-5)
    np.testing.assert_allclose(
        np.reshape(adds["data"], adds["shape"]).sum(axis=0), trace.output[0, 5], atol=1e-5
    )
