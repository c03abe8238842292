"""The arithmetic of the lit cell stands whole in its place: terms, quotient, result and formula."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from tests.browser.driving import one_by_one, resized, settled
from tests.browser.test_stage import SIZES, STEPS

pytestmark = pytest.mark.browser

WINDOWS = [(1366, 768), (1280, 720)]
# What reaches out of its place, and the numbers and counts of the chips.
WRITTEN = """() => {
  const all = (root, selector) => [...root.querySelectorAll('*')].flatMap(element => [
    ...(element.matches(selector) ? [element] : []),
    ...(element.shadowRoot ? all(element.shadowRoot, selector) : []),
  ]);
  const [root] = all(document, '[data-arithmetic]').filter(one => one.offsetWidth);
  const inside = (part, frame) => {
    const [a, b] = [part, frame].map(one => one.getBoundingClientRect());
    return a.left >= b.left - 1 && a.right <= b.right + 1 && a.bottom <= b.bottom + 1;
  };
  const terms = root.querySelector('.terms');
  const chips = [...terms.children].filter(one => getComputedStyle(one).display !== 'none');
  const cut = [...chips.filter(one => !inside(one, terms) || !inside(one, root)),
    ...[...root.querySelectorAll('.result, .what .name')].filter(one => !inside(one, root)),
    ...[...root.closest('.board').querySelectorAll('.formula')]
      .filter(one => one.scrollWidth > one.clientWidth)];
  const texts = selector => [...root.querySelectorAll(selector)].map(one => one.textContent);
  return {cut: cut.map(one => one.textContent), terms: texts('.terms > .chip'),
    values: texts('.terms .chip b'), result: texts('.result')[0],
    place: texts('.at').join(' ')};
}"""


@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("name", SIZES)
def test_nothing_of_a_sum_is_cut(page: Page, app_url: str, name: str, lecture: bool) -> None:
    found = {}
    more = "&present=true" * lecture
    urls = [f"{app_url}/{step}?{SIZES[name]}{more}" for step in STEPS if step != "overview"]
    for at in one_by_one(page, [*urls, f"{app_url}/one-head?head=0{more}"]):
        for window in WINDOWS[lecture:]:
            resized(at, *window)
            if lecture and "one-head" not in at.url:  # its result is covered at first
                at.keyboard.press("Home")
                at.keyboard.press("PageDown")
            expect(at.locator("[data-arithmetic]:visible .result").first).to_be_visible()
            shown: dict[str, Any] = at.evaluate(WRITTEN)
            if shown["cut"] or not shown["result"] or "position" not in shown["place"]:
                found[at.url, window] = shown
    assert found == {}


def test_the_shown_terms_give_the_result(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/projections?{SIZES['16 tokens, 64 features, 8 heads']}&query=0")
    shown = resized(settled(page), *WINDOWS[0]).evaluate(WRITTEN)
    queries = trace_of(Scenario(n_tokens=16, d_model=64, n_heads=8)).queries
    assert 2 < len(shown["values"]) < 64
    total = sum(float(text.replace("−", "-").replace("≈ 0", "0")) for text in shown["values"])
    assert total == pytest.approx(queries[0, 0, 0], abs=5e-4 * len(shown["values"]))
    page.goto(f"{app_url}/mixing?{SIZES['first example']}&head=0&query=8&feature=0")
    chips = resized(settled(page), *WINDOWS[0]).evaluate(WRITTEN)["terms"]
    assert [chip for chip in chips if "cat" in chip or "box" in chip] == chips[:2]
    assert sum(int(chip.split()[0]) for chip in chips[2:]) == len(
        ["the", "saw", "the", "old", "and", "then", "it", "ran"]
    )
