"""The sentence comes first: its arcs follow the pointer, and lead to the sum and to the steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_lab.readings import shares_read
from attention_lab.scenario import trace_of
from tests.browser.driving import box_of, expect_title, resized, scenario_in, settled

pytestmark = pytest.mark.browser

OWN = "overview?weights=by%20hand&d_model=8&n_heads=2&text=the%20cat%20and%20the%20box%20and%20it"
# Shares of an arc's lines, for a click beside the words.
ON_ARC = """path => {
  const at = path.getPointAtLength(path.getTotalLength() * 0.4);
  const frame = path.ownerSVGElement.getBoundingClientRect();
  return [frame.x + at.x, frame.y + at.y];
}"""


def test_pointing_and_clicking_lead_from_the_sentence_to_a_step(
    visit: Callable[[str], Page],
) -> None:
    page = resized(visit(OWN + "&query=6&key=1"), 390, 844)
    words, matrix = page.locator(".arc-word"), box_of(page.locator("[data-matrix]").first)
    boxes = [box_of(one) for one in words.all()]
    assert len(boxes) == 7
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert all(box["y"] + box["height"] < matrix["y"] for box in boxes)

    resized(page, 1366, 768)
    trace = trace_of(scenario_in(page))
    expect(words).to_have_count(trace.sizes["T"])
    expect(page.locator(".arc-word.on")).to_have_text("it")
    share = f"{100 * trace.probabilities[0, 0, 6, 1]:.0f} %"
    expect(page.locator(".arcs text.on.much").first).to_have_text(share)
    words.nth(1).hover()
    expect(page.locator(".arc-word.on")).to_have_text("cat")
    page.mouse.move(5, 5)
    expect(page.locator(".arc-word.on")).to_have_text("it")
    second = page.locator(".arcs g.on", has=page.locator("path.hit")).first
    page.mouse.click(*second.locator("path").first.evaluate(ON_ARC))
    settled(page)
    links = page.locator(".chain button")
    expect(links).to_have_count(3)
    key, _ = shares_read(trace, 0, 6)[-1]  # the thinnest arc is drawn first
    expect(links.last).to_contain_text(f"{trace.probabilities[0, 0, 6, key]:.3f}")
    links.last.click()
    expect_title(page, "Softmax")  # the server leads there

    expect(settled(page).locator(".arcs path").first).to_be_attached()
    page.get_by_role("button", name="Cover the result").click()
    expect(page.locator(".arcs path")).to_have_count(0)  # which would tell it
    expect(page.locator(".arc-word.on")).to_have_text("it")
