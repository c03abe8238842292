"""The main job in a real browser: type a sentence, choose the sizes, walk through the layer,
look into a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from attention_ui.registry import PAGES, story_steps
from tests.browser.conftest import free_port, running_app
from tests.browser.driving import (
    expect_result,
    expect_title,
    expect_url,
    opened,
    parameters,
    scenario_in,
    score_at,
    settled,
    slider,
)

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
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
    for _ in range(5):
        length.press("ArrowRight")
    expect_url(page, "n_tokens=5")
    size = page.get_by_label("Embedding size", exact=True)
    size.fill("12")
    size.press("Enter")
    expect_url(page, "d_model=12")
    slider(page, "Heads").press("ArrowLeft")
    expect_url(page, "n_heads=3")
    scenario = scenario_in(page)
    assert scenario == Scenario(text="the cat saw the other cat", n_tokens=5, d_model=12, n_heads=3)
    trace = trace_of(scenario)
    for step, following in zip(story_steps(), (*story_steps()[1:], None), strict=True):
        expect_title(page, step.title)
        settled(page)
        assert scenario_in(page) == scenario
        assert (
            page.locator("[data-testid=stException], [data-testid=stAlertContentError]").count()
            == 0
        )
        if step.url_path == "scores":
            cell = [int(parameters(page).get(name, 0)) for name in ("head", "query", "key")]
            expect_result(page, score_at(trace, *cell))
        if following:
            page.locator(".onward a").click()
            expect_url(page, f"/{following.url_path}?")


def test_from_the_overview_of_a_long_sentence_to_a_step_and_home(visit: Visit) -> None:
    page = visit("overview?n_tokens=64&query=60&key=3&n_heads=2")
    drawn = page.locator(".board .window label")
    expect(drawn).to_have_text(["query position 40–63 of 64", "key position 0–23 of 64"])
    page.get_by_role("button", name="later: key position 24").click()
    expect(drawn).to_have_text(["query position 40–63 of 64", "key position 24–47 of 64"])
    expect_url(page, "query=60", "key=24")
    settled(page).get_by_role("link", name="Softmax").last.click()
    expect_url(page, "/softmax")
    expect_title(page, "Softmax")
    kept = {"n_heads": "2", "n_tokens": "64", "query": "60", "key": "24"}
    assert kept.items() <= parameters(settled(page)).items()
    page.get_by_test_id("stLogoLink").first.click()
    expect_title(page, "Overview")
    assert urlsplit(page.url).path == "/"
    assert parameters(page)["n_heads"] == "2"


def test_an_example_reaches_the_url(visit: Visit) -> None:
    page = visit("scores")
    page.get_by_label("Example", exact=True).click()
    page.get_by_role("option", name="Causal").click()
    expect_url(page, "mask=causal")
    page.locator(".onward a").click()
    expect_url(page, "/scale?mask=causal")
    page.reload()
    assert scenario_in(settled(page)) == Scenario(mask="causal")
    expect_title(page, "Scale")
    visit("nonsense")
    expect_title(page, PAGES[0].title)


def test_a_deep_link_on_a_fresh_server(page: Page, fresh_url: str) -> None:
    query = "text=one+two+three&n_heads=2&mask=causal&residual=true&head=1&query=2&key=1"
    scenario = Scenario(text="one two three", n_heads=2, mask="causal", residual=True)
    opened(page, f"{fresh_url}/scores?{query}")
    for _ in range(2):
        expect_title(page, "Scores")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert scenario_in(page) == scenario
        places = {name: parameters(page)[name] for name in ("head", "query", "key")}
        assert places == {"head": "1", "query": "2", "key": "1"}
        expect(page.get_by_label("Sentence", exact=True)).to_have_value("one two three")
        expect_result(page, score_at(trace_of(scenario), 1, 2, 1))
        page.reload()
        settled(page)


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


def test_the_first_act_replaces_nothing(visit: Visit) -> None:
    """The page's parts stay where they were and the same: one drawn anew would lose its zoom
    and what is played.
    """
    page = visit("head-worth?n_tokens=13")
    page.evaluate(PARTS)
    slider(page, "Sequence length").press("ArrowRight")
    expect_url(page, "n_tokens=14")
    assert settled(page).evaluate(LOST) == [4, []]
