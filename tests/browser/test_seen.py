"""The last page of the story in a real browser: a token before and after, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from attention_lab.scenario import Scenario, trace_of

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


def test_before_and_after_stand_side_by_side(visit: Callable[[str], Page]) -> None:
    """X and Y of one token in one line; what the heads add sums to Y, every number of it drawn."""
    page = visit("seen?query=5")
    trace = trace_of(Scenario())

    def drawn(name: str) -> dict[str, Any]:
        found: dict[str, Any] = page.evaluate(DRAWN, name)
        return found

    before, after, adds = map(drawn, ("inputs", "output", "head_contributions"))
    assert abs(before["y"] - after["y"]) < 2
    assert before["x"] < after["x"]
    np.testing.assert_allclose(before["data"], trace.inputs[0, 5], atol=1e-5)
    np.testing.assert_allclose(after["data"], trace.output[0, 5], atol=1e-5)
    np.testing.assert_allclose(
        np.reshape(adds["data"], adds["shape"]).sum(axis=0), trace.output[0, 5], atol=1e-5
    )
