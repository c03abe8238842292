"""The matrix board in a real browser: it explains the cell under the pointer or the keyboard with
the engine's numbers, takes numbers typed on it, and leads from words to sums.
"""

from __future__ import annotations

from urllib.parse import parse_qs, parse_qsl, urlsplit

import numpy as np
import pytest
from playwright.sync_api import FloatRect, Page, expect

from attention_core import Trace
from attention_core.derivation import derive
from attention_lab.readings import shares_read
from attention_lab.scenario import Scenario, trace_of
from attention_lab.url_choices import read_url
from attention_lab.words.numbers import format_number
from tests.browser.driving import (
    StepAt,
    box_of,
    click_cell,
    expect_result,
    expect_title,
    expect_url,
    hover_cell,
    opened,
    parameters,
    resized,
    settled,
)

# Prime sizes: 5 tokens, 7 features, 3 heads, keys 2 and values 11 wide.
PRIME = "text=we+like+tea+and+cake&d_model=7&n_heads=3&d_k=2&d_v=11&mask=causal"
SCENARIO = Scenario(text="we like tea and cake", d_model=7, n_heads=3, d_k=2, d_v=11, mask="causal")
CELLS = {
    "projections": ("queries", [(0, 0, 0), (0, 2, 5)]),
    "mask": ("masked_scores", [(0, 0, 3, 1), (0, 0, 1, 3)]),
    "softmax": ("probabilities", [(0, 0, 0, 0), (0, 0, 1, 3)]),
    "mixing": ("head_outputs", [(0, 0, 4, 10), (0, 0, 1, 0)]),
    "merge": ("merged", [(0, 0, 0), (0, 3, 32)]),
}

SUMMED = ("inputs", "head_contributions", "output")
OWN = "overview?weights=by%20hand&d_model=8&n_heads=2&text=the%20cat%20and%20the%20box%20and%20it"
# Shares of an arc's lines, for a click beside the words.
ON_ARC = """path => {
  const at = path.getPointAtLength(path.getTotalLength() * 0.4);
  const frame = path.ownerSVGElement.getBoundingClientRect();
  return [frame.x + at.x, frame.y + at.y];
}"""
LETTERS = "panel => panel.closest('.board').numbers(panel.dataset.matrix).letters"


def expect_cell(page: Page, trace: Trace, array: str, index: tuple[int, ...]) -> None:
    """The arithmetic ends in the cell's number, and begins with the products of a sum."""
    derivation = derive(trace, array, index)
    expect_result(page, derivation.result)
    if derivation.operation == "sum":
        products = [term.value for term in derivation.terms if len(term.factors) > 1]
        among = max(map(abs, products), default=0.0)
        chips = page.locator(".arithmetic .chip.product b").all_text_contents()
        assert bool(chips) == bool(products)
        assert chips == [format_number(value, 3, among) for value in products[: len(chips)]]


def test_pointing_at_cells_on_the_way_gives_their_arithmetic(step_at: StepAt, page: Page) -> None:
    trace = trace_of(SCENARIO)
    step_at(page, f"tokens?{PRIME}&whole=true")
    hover_cell(page, "inputs", (0, 3, 5))
    value = format_number(float(trace.inputs[0, 3, 5]), 4)
    expect(page.locator(".arithmetic .result").first).to_contain_text(value)
    for name, (array, cells) in CELLS.items():
        before = step_at(page, f"{name}?{PRIME}&whole=true").url
        for index in cells:
            hover_cell(page, array, index)
            expect_cell(page, trace, array, index)
        assert page.url == before
    step_at(page, f"scores?{PRIME}&notation=gml")  # columns for tokens
    hover_cell(page, "scores", (0, 0, 4, 2))
    expect_cell(page, trace, "scores", (0, 0, 4, 2))


def test_keys_move_in_a_matrix_and_enter_pins(step_at: StepAt, page: Page) -> None:
    step_at(page, f"scores?{PRIME}&query=1&key=1")
    trace = trace_of(SCENARIO)
    operand = page.locator('[data-panel="key_heads operand"]')
    x, y, width, _ = box_of(operand).values()
    above: FloatRect = {"x": x + width / 2, "y": y - 6, "width": 8, "height": 2}
    before = page.screenshot(clip=above)
    operand.evaluate("panel => panel.focus({ focusVisible: true, preventScroll: true })")
    assert page.screenshot(clip=above) != before  # the frame of the focus is whole
    matrix = page.locator('[data-panel="scores result"]')
    matrix.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    expect_cell(page, trace, "scores", (0, 0, 3, 0))
    expect(page.locator("[aria-live]").filter(has_text="and").first).to_contain_text("we")
    page.keyboard.press("Enter")
    expect(settled(page).locator('[data-panel="scores result"]')).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect_cell(page, trace, "scores", (0, 0, 2, 0))
    page.keyboard.press("Escape")
    expect_cell(page, trace, "scores", (0, 0, 3, 0))
    click_cell(page, "scores", (0, 0, 2, 1))
    settled(page).keyboard.press("Escape")
    expect_cell(page, trace, "scores", (0, 0, 2, 1))


def test_typing_on_a_cell_changes_the_layer(page: Page, app_url: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda told: sent.append(told)))
    opened(page, f"{app_url}/projections?{PRIME}")
    page.locator("section.board").first.evaluate("board => { board.dataset.mine = 'yes'; }")
    sent.clear()
    hover_cell(page, "queries", (0, 2, 1))
    expect_cell(page, trace_of(SCENARIO), "queries", (0, 2, 1))
    assert sent == [], "the server hears nothing of a pointer"
    click_cell(page, "w_q", (2, 1))
    expect_url(page, "feature=1")
    told = dict(parse_qsl(f"{PRIME}&feature=1"))
    assert {name: parameters(settled(page))[name] for name in told} == told
    page.keyboard.press("F2")  # a number left as it was is no edit
    page.keyboard.press("Enter")
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    expect_url(page, "edits=wq_2_1_9")
    edited = trace_of(Scenario(**(vars(SCENARIO) | {"edits": "wq_2_1_9"})))
    hover_cell(settled(page), "queries", (0, 3, 1))
    expect_cell(page, edited, "queries", (0, 3, 1))
    expect(page.locator("section.board").first).to_have_attribute("data-mine", "yes")
    page.get_by_role("button", name="Undo").click()
    expect_url(page, "!edits")
    hover_cell(settled(page), "queries", (0, 3, 1))
    expect_cell(page, trace_of(SCENARIO), "queries", (0, 3, 1))

    opened(resized(page, 390, 844), f"{app_url}/tokens?seed=0")  # a refusal is in sight on a phone
    click_cell(page, "inputs", (0, 1, 7))  # the last column that is shown
    expect_url(page, "feature=7")
    settled(page).keyboard.type("1 x")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Type a number such as")).to_be_in_viewport(ratio=1)


def test_pointing_and_clicking_lead_from_the_sentence_to_a_step(
    step_at: StepAt, page: Page
) -> None:
    page = resized(step_at(page, OWN + "&query=6&key=1"), 390, 844)
    words, matrix = page.locator(".arc-word"), box_of(page.locator("[data-matrix]").first)
    boxes = [box_of(one) for one in words.all()]
    assert len(boxes) == 7
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert all(box["y"] + box["height"] < matrix["y"] for box in boxes)

    resized(page, 1366, 768)
    trace = trace_of(read_url(parse_qs(urlsplit(OWN).query)).scenario)
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
    expect_title(page, "Softmax")

    expect(settled(page).locator(".arcs path").first).to_be_attached()
    page.get_by_role("button", name="Cover the result").click()
    expect(page.locator(".arcs path")).to_have_count(0)  # which would tell it
    expect(page.locator(".arc-word.on")).to_have_text("it")


@pytest.mark.every_situation
def test_the_story_ends_with_what_the_heads_add(page: Page, app_url: str) -> None:
    places = {}
    for name in ("output", "seen", "practice"):
        opened(page, f"{app_url}/{name}?guess=false&query=5")
        strip, title = box_of(page.locator(".strip .here")), box_of(page.locator("h1"))
        places[name] = np.array((strip["y"], strip["height"], title["x"], title["y"]))
        if name == "seen":
            panels = [page.locator(f"[data-matrix={name}]").first for name in SUMMED]
            before, adds, after = [box_of(panel) for panel in panels]
            assert before["y"] < adds["y"] < after["y"], "what the heads add, above its sum"
            assert abs(adds["x"] - after["x"]) < 2
            assert min(panel.evaluate(LETTERS) for panel in panels) >= 13
    for name in ("seen", "practice"):
        assert (abs(places[name] - places["output"]) < (1, 1, 2, 12)).all()
