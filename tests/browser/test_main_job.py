"""The main job in a real browser, and what a newcomer does first: type a sentence,
choose the sizes, go through the layer, look into a cell, read a message, reload.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from attention_lab.control_list import CONTROLS, VIEW_DEFAULTS, VIEW_SWITCHES, widget_value
from attention_lab.page_list import option_of, story_steps
from attention_lab.scenario import Scenario, trace_of
from tests.browser.conftest import free_port, running_app
from tests.browser.driving import (
    OPEN,
    Visit,
    box_of,
    expect_result,
    expect_title,
    expect_url,
    opened,
    parameters,
    resized,
    scenario_in,
    score_at,
    settled,
    slider,
)
from tests.ui.test_controls import MOVES

# Keeps title, question, remark and first chart, each with its place on the screen; then gives those
# that were drawn anew or moved.
PARTS = """() => {
  const texts = [...document.querySelectorAll('[data-testid=stMain] :is(h1, p)')].slice(0, 3);
  window.parts = [...texts, document.querySelector('.chart')].map(part => [part,
    part.getBoundingClientRect().top]);
}"""
LOST = """() => [parts.length, parts
  .filter(([part, top]) => !part.isConnected || part.getBoundingClientRect().top !== top)
  .map(([part]) => part.textContent)]"""
ERRORS = "[data-testid=stException], [data-testid=stAlertContentError]"
WINDOWS = [(1280, 720), (820, 1180), (390, 844)]
# The message, where it is in the window with nothing on it, and what can be reached below it.
SEEN = """() => {
  const message = document.querySelector('.st-key-message [data-testid=stAlert]');
  const {top, bottom, left, right} = message.getBoundingClientRect();
  const over = document.elementFromPoint((left + right) / 2, bottom - 4);
  const board = everyElement().find(part => part.matches('section.board:not(.alone)'));
  return {
    whole: top >= 0 && bottom <= innerHeight && message.contains(over),
    below: board.getBoundingClientRect().top >= bottom,
    rests: board.classList.contains('rests'),
    reached: [...board.querySelectorAll('a, button, input, [tabindex]')]
      .filter(one => one.tabIndex >= 0 && !one.closest('[inert], .strip') && one.checkVisibility())
      .length,
  };
}"""
HELD = {"whole": True, "below": True, "rests": True, "reached": 0}


def test_from_a_sentence_to_the_output(visit: Visit) -> None:
    page = visit("")
    sentence = page.get_by_label("Sentence", exact=True)
    sentence.fill("the cat saw the other cat")
    sentence.press("Enter")
    expect_url(page, "text=the+cat+saw+the+other+cat")
    length = slider(page, "Sequence length")
    length.press("End")
    expect_url(page, "n_tokens=64")
    length.press("Home")
    expect_url(page, "!n_tokens")
    settled(page)  # of two keys in one run the server sees the last value alone
    length.press("ArrowRight")
    expect_url(page, "n_tokens=6")  # those of the sentence
    length.press("ArrowLeft")
    expect_url(page, "n_tokens=5")
    size = page.get_by_label("Embedding size", exact=True)
    size.fill("12")
    size.press("Enter")
    expect_url(page, "d_model=12")
    expect(slider(page, "Heads")).to_have_attribute("max", "5")  # 1, 2, 3, 4, 6 and 12 fit
    slider(page, "Heads").press("ArrowLeft")
    expect_url(page, "n_heads=3")
    scenario = scenario_in(page)
    assert scenario == Scenario(text="the cat saw the other cat", n_tokens=5, d_model=12, n_heads=3)
    trace = trace_of(scenario)
    steps = [page for page in story_steps() if not option_of(page)]
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        expect_title(page, step.title)
        settled(page)
        assert scenario_in(page) == scenario
        expect(page.locator(ERRORS)).to_have_count(0)
        if step.url_path == "scores":
            cell = [int(parameters(page).get(name, 0)) for name in ("head", "query", "key")]
            expect_result(page, score_at(trace, *cell))
        if following:
            page.locator(".onward a").click()
            expect_url(page, f"/{following.url_path}?")


def test_a_tab_outlives_its_server(page: Page, tmp_path: Path) -> None:
    port = free_port()
    with running_app(tmp_path, port) as app_url:
        opened(page, f"{app_url}/scores?d_model=24&n_heads=1&query=3&key=1")
    been: list[str] = []
    page.on("framenavigated", lambda frame: been.append(urlsplit(frame.url).path))
    with running_app(tmp_path, port):
        page.wait_for_selector("[data-test-connection-state=CONNECTED]")
        slider(page, "Heads").press("ArrowRight")
        expect_url(page, "n_heads=2")
        expect_result(settled(page), score_at(trace_of(Scenario(d_model=24, n_heads=2)), 0, 3, 1))
        expect_title(page, "Scores")
        assert set(been) == {"/scores"}


@pytest.mark.every_situation
def test_the_first_act_replaces_nothing(visit: Visit) -> None:
    """The page's parts stay where they were and the same: one drawn anew would lose its zoom
    and what is played.
    """
    page = visit("head-worth?n_tokens=13")
    page.evaluate(PARTS)
    slider(page, "Sequence length").press("ArrowRight")
    expect_url(page, "n_tokens=14")
    assert settled(page).evaluate(LOST) == [4, []]


def refused(page: Page, count: int = 1) -> Page:
    """The page when it shows so many messages."""
    expect(page.locator(".st-key-message [data-testid=stAlert]")).to_have_count(count)
    return settled(page)


@pytest.mark.every_situation
def test_the_message_is_in_the_first_window(visit: Visit) -> None:
    page = visit("scores?d_model=8&n_heads=2")
    size, sentence = (page.get_by_label(one, exact=True) for one in ("Embedding size", "Sentence"))
    found = {}

    def look(act: str) -> None:
        refused(page)
        for window in WINDOWS:
            found[act, window] = resized(page, *window).evaluate(SEEN)
        resized(page, 1366, 768)

    page.evaluate(OPEN, "scores?d_model=8&n_heads=3")
    look("heads")
    expect(page.get_by_role("group", name="Heads", exact=True)).to_contain_text("3")
    page.get_by_role("button", name="Heads: 2", exact=True).click()
    refused(page, 0)
    for field, value, other in ((size, "9", "8"), (sentence, "", "the cat and it")):
        field.fill(value)
        field.press("Enter")
        look(value)
        field.fill(other)
        field.press("Enter")
        refused(page, 0)
        expect(page.locator("section.board.rests")).to_have_count(0)
    assert {place: seen for place, seen in found.items() if seen != HELD} == {}
    resized(page, 1280, 720)
    for path in (
        "self-attention-mass?lab_tokens=numbers&lab_numbers=banana",
        "propositions?lab_tokens=numbers&lab_numbers=banana",
        "change-a-word?text=",
    ):
        visit(path)
        message = box_of(page.get_by_test_id("stAlertContentError"))
        assert message["y"] + message["height"] < 720, path


def test_a_reload_keeps_every_choice(visit: Visit) -> None:
    moved = {one.name: widget_value(one, MOVES[one.name][1]) for one in CONTROLS}
    moved |= {"scaling": "custom", "mask": "window", "output_matrix": "none", "d_model": 32}
    moved |= {key: not VIEW_DEFAULTS[key] for _, key, _ in VIEW_SWITCHES} | {"notation": "gml"}
    wished = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in moved.items()
    }
    page = visit("scores?" + "&".join(f"{name}={value}" for name, value in wished.items()))
    for _ in range(2):
        assert {name: parameters(page).get(name) for name in wished} == wished
        page.reload()
        settled(page)
    assert {name: parameters(page).get(name) for name in wished} == wished
