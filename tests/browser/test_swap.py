"""Split and merge in one window: the matrices, and below them the two orders of the memory."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import one_by_one
from tests.browser.test_stage import SIZES, WINDOWS, at_size, faults, overlap

pytestmark = pytest.mark.browser
# Of each line of the memory the area, from its name to its last piece.
RIBBONS = """() => {
  const all = root => [...root.querySelectorAll('*')].flatMap(element => [
    ...(element.matches('[data-ribbon]') ? [element] : []),
    ...(element.shadowRoot ? all(element.shadowRoot) : []),
  ]);
  return all(document).map(element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return {name: element.dataset.ribbon, x, y, width, height};
  });
}"""


@pytest.mark.parametrize("step", ["split", "merge"])
def test_the_swap_is_in_sight(page: Page, app_url: str, step: str) -> None:
    found = {}
    names = list(SIZES)[:2]
    for at in one_by_one(page, [f"{app_url}/{step}?{SIZES[name]}" for name in names]):
        expect(at.locator(".words .sentence")).to_contain_text("Without the swap")
        for window in WINDOWS:
            shown = at_size(at, window)
            ribbons = at.evaluate(RIBBONS)
            assert {one["name"] for one in ribbons} == {"token by token", "head by head"}
            wrong = faults(shown, window)
            parts = [*shown["matrices"], shown["arithmetic"], shown["words"], shown["controls"]]
            for one in ribbons:
                wrong += [f"{one['name']} on {p['name']}" for p in parts if overlap(one, p)]
                if one["y"] < 0 or one["y"] + one["height"] > window[1]:
                    wrong.append(f"{one['name']} is out of sight")
            small = {a: n for a, n in shown["letters"].items() if (n or 0) < 11}
            wrong += [f"numbers of {array} are {size} px" for array, size in small.items()]
            if wrong:
                found[at.url.split("?")[1][:12], window] = wrong
    assert found == {}
