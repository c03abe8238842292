"""A page with a board shows its main matrices whole on arrival, without scrolling."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.driving import IDLE, settled

pytestmark = pytest.mark.browser

WINDOWS = [(1366, 768), (1280, 720)]
# How many matrices the first board of each page shows.
PAGES = {
    "encoder-decoder": 6,
    "mask-workshop": 6,
    "self-attention-mass": 1,
    "truths": 1,
    "one-head": 2,
    "change-a-word": 3,
    "convolution": 4,
    "lexicon": 4,
}
FIRST_BOARD = """() => {
  const all = (root, selector) => [...root.querySelectorAll('*')].flatMap(element => [
    ...(element.matches(selector) ? [element] : []),
    ...(element.shadowRoot ? all(element.shadowRoot, selector) : []),
  ]);
  const [board] = all(document, 'section.board');
  const area = element => {
    const {top, left, right, bottom} = element.getBoundingClientRect();
    return {name: element.dataset.matrix, role: element.dataset.role, top, left, right, bottom};
  };
  return {
    matrices: [...board.querySelectorAll('[data-matrix]')].map(area),
    scrolled: document.querySelector('[data-testid=stMain]').scrollTop,
  };
}"""


def out_of_sight(page: Page, window: tuple[int, int], n_matrices: int) -> list[Any]:
    """What of the first board is not in the window; all of it where it has too few matrices."""
    page.set_viewport_size({"width": window[0], "height": window[1]})
    page.evaluate(IDLE)
    page.evaluate(IDLE)
    shown = page.evaluate(FIRST_BOARD)
    matrices = shown["matrices"]
    if shown["scrolled"] or len(matrices) != n_matrices:
        return [shown]
    if not any(matrix["role"] == "result" for matrix in matrices):
        return matrices
    return [
        matrix
        for matrix in matrices
        if matrix["top"] < 0
        or matrix["left"] < 0
        or matrix["right"] > window[0]
        or matrix["bottom"] > window[1]
    ]


@pytest.mark.parametrize("path", PAGES)
def test_the_main_matrices_are_in_sight(page: Page, address: str, path: str) -> None:
    """By a bare URL, in two common windows."""
    found = {}
    page.set_viewport_size({"width": WINDOWS[0][0], "height": WINDOWS[0][1]})
    page.goto(f"{address}/{path}")
    settled(page)
    for window in WINDOWS:
        if missing := out_of_sight(page, window, PAGES[path]):
            found[window] = missing
    assert found == {}
