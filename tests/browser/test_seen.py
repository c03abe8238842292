"""The last page of the story in a real browser: a token before and after, one above the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import settled

pytestmark = pytest.mark.browser
# The numbers of an array as the page's only board with such a panel draws them, and where it is.
DRAWN = """name => {
  const all = root => [...root.querySelectorAll('*')].flatMap(element => [
    ...(element.numbers ? [element] : []),
    ...(element.shadowRoot ? all(element.shadowRoot) : []),
  ]);
  const board = all(document).find(one => one.querySelector(`[data-matrix=${name}]`));
  const {x, y} = board.querySelector(`[data-matrix=${name}]`).getBoundingClientRect();
  return {...board.numbers(name), x, y};
}"""


def test_what_the_heads_add_stands_above_its_sum(visit: Callable[[str], Page]) -> None:
    page = visit("seen?query=5")
    trace = trace_of(Scenario())

    def drawn(name: str) -> dict[str, Any]:
        found: dict[str, Any] = page.evaluate(DRAWN, name)
        return found

    before, after, adds = parts = [*map(drawn, ("inputs", "output", "head_contributions"))]
    assert before["y"] < adds["y"] < after["y"]
    assert abs(adds["x"] - after["x"]) < 2
    assert min(part["letters"] for part in parts) >= 13
    np.testing.assert_allclose(before["data"], trace.inputs[0, 5], atol=1e-5)
    np.testing.assert_allclose(after["data"], trace.output[0, 5], atol=1e-5)
    np.testing.assert_allclose(
        np.reshape(adds["data"], adds["shape"]).sum(axis=0), trace.output[0, 5], atol=1e-5
    )


def test_strip_and_title_keep_their_place(page: Page, app_url: str) -> None:
    places = {}
    for path in ("output", "seen", "practice"):
        page.goto(f"{app_url}/{path}?guess=false")
        settled(page)
        strip = page.locator(".strip .here").bounding_box()
        title = page.locator("h1").bounding_box()
        assert strip
        assert title
        places[path] = np.array((strip["y"], strip["height"], title["x"], title["y"]))
    for path in ("seen", "practice"):
        assert (abs(places[path] - places["output"]) < (1, 1, 2, 12)).all()
