"""The matrix board in a real browser: it explains the cell under the pointer or the keyboard with
the engine's numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import FloatRect, Page, expect

from attention_core import Trace
from attention_core.derivation import derive
from attention_lab.scenario import Scenario, trace_of
from attention_viz.labels import format_number
from tests.browser.driving import box_of, click_cell, expect_url, hover_cell, parameters, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]

# Prime sizes: 5 tokens, 7 features, 3 heads, keys 2 and values 11 wide.
PRIME = "text=we+like+tea+and+cake&d_model=7&n_heads=3&d_k=2&d_v=11&mask=causal"
SCENARIO = Scenario(text="we like tea and cake", d_model=7, n_heads=3, d_k=2, d_v=11, mask="causal")
CELLS = {
    "projections": ("queries", [(0, 0, 0), (0, 4, 1), (0, 2, 5)]),
    "split": ("query_heads", [(0, 0, 0, 1), (0, 2, 3, 0)]),
    "scores": ("scores", [(0, 0, 0, 0), (0, 0, 4, 2), (0, 0, 1, 3)]),
    "scale": ("scaled_scores", [(0, 0, 3, 1)]),
    "mask": ("masked_scores", [(0, 0, 3, 1), (0, 0, 1, 3)]),
    "softmax": ("probabilities", [(0, 0, 0, 0), (0, 0, 4, 2), (0, 0, 1, 3)]),
    "mixing": ("head_outputs", [(0, 0, 4, 10), (0, 0, 1, 0)]),
    "merge": ("merged", [(0, 0, 0), (0, 3, 32)]),
    "output": ("output", [(0, 4, 6), (0, 2, 1)]),
}


def expect_cell(page: Page, trace: Trace, array: str, index: tuple[int, ...]) -> None:
    """The arithmetic ends in the cell's number, and begins with the products of a sum."""
    derivation = derive(trace, array, index)
    written = format_number(derivation.result, 4)
    if float(derivation.result).is_integer():
        written = format_number(derivation.result, 0)
    expect(page.locator(".arithmetic .result").first).to_have_text(written)
    if derivation.operation == "sum":
        products = [term.value for term in derivation.terms if len(term.factors) > 1]
        among = max(map(abs, products), default=0.0)
        chips = page.locator(".arithmetic .chip.product b").all_text_contents()
        assert bool(chips) == bool(products)
        assert chips == [format_number(value, 3, among) for value in products[: len(chips)]]


def test_pointing_at_cells_on_the_way_gives_their_arithmetic(go: Visit, page: Page) -> None:
    trace, sent = trace_of(SCENARIO), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda told: sent.append(told)))
    go(f"tokens?{PRIME}&whole=true")
    hover_cell(page, "inputs", (0, 3, 5))
    value = format_number(float(trace.inputs[0, 3, 5]), 4)
    expect(page.locator(".arithmetic .result").first).to_contain_text(value)
    for name, (array, cells) in CELLS.items():
        before = go(f"{name}?{PRIME}&whole=true").url
        sent.clear()
        for index in cells:
            hover_cell(page, array, index)
            expect_cell(page, trace, array, index)
        assert (page.url, sent) == (before, [])
    go(f"scores?{PRIME}&notation=gml")  # columns for tokens
    hover_cell(page, "scores", (0, 0, 4, 2))
    expect_cell(page, trace, "scores", (0, 0, 4, 2))


def test_keys_move_in_a_matrix_and_enter_pins(visit: Visit) -> None:
    page, trace = visit(f"scores?{PRIME}&query=1&key=1"), trace_of(SCENARIO)
    operand = page.locator('[data-panel="key_heads operand"]')
    x, y, width, _ = box_of(operand).values()
    above: FloatRect = {"x": x + width / 2, "y": y - 6, "width": 8, "height": 2}
    before = page.screenshot(clip=above)
    operand.evaluate("panel => panel.focus({ focusVisible: true, preventScroll: true })")
    assert page.screenshot(clip=above) != before  # the frame of the focus is whole
    page.locator("section.board").first.evaluate("board => { board.dataset.mine = 'yes'; }")
    matrix = page.locator('[data-panel="scores result"]')
    matrix.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    expect_cell(page, trace, "scores", (0, 0, 3, 0))
    expect(page.locator("[aria-live]").filter(has_text="and").first).to_contain_text("we")
    page.keyboard.press("Enter")
    expect_url(page, "query=3")
    assert parameters(settled(page))["query"] == "3"
    expect(matrix).to_be_focused()
    page.keyboard.press("Escape")
    expect_cell(page, trace, "scores", (0, 0, 3, 0))
    click_cell(page, "scores", (0, 0, 2, 1))
    expect_url(page, "query=2")
    expect(settled(page).locator("section.board").first).to_have_attribute("data-mine", "yes")
    expect_cell(page, trace, "scores", (0, 0, 2, 1))
    told = dict(parse_qsl(f"{PRIME}&query=2&key=1"))
    assert parameters(page) == told


def test_playing_a_step_gives_nothing_away_and_ends_by_key_or_choice(visit: Visit) -> None:
    page = visit(f"mask?{PRIME}")
    page.locator("select.unit").select_option("cell")
    line, stop = page.locator(".arithmetic .line").first, page.locator(".tool.stop")
    page.locator(".tool.next").click()
    expect(line).to_be_visible()
    expect(line.locator(".result")).to_have_count(0)
    page.locator(".tool.next").click()
    expect_cell(page, trace_of(SCENARIO), "masked_scores", (0, 0, 0, 0))
    stop.press("Enter")
    expect(stop).to_be_disabled()
    expect(page.locator(".tool.play")).to_be_focused()
    page.locator(".tool.first").click()
    expect(stop).to_be_enabled()
    page.get_by_label("Head", exact=True).click()
    page.get_by_role("option", name="2", exact=True).click()
    expect_url(page, "head=2")
    expect(stop).to_be_disabled()
    expect_cell(settled(page), trace_of(SCENARIO), "masked_scores", (0, 2, 0, 0))
