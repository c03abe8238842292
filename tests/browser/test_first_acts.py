"""What a newcomer does first, in a browser: the message about choices that make no layer is in the
first window, above the last picture; a reload changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_ui.control_list import CONTROLS, widget_value
from attention_ui.view import VIEW_DEFAULTS, VIEW_SWITCHES
from tests.browser.driving import (
    OPEN,
    box_of,
    expect_url,
    one_by_one,
    parameters,
    path_of,
    resized,
    settled,
    slider,
)
from tests.ui.test_controls import MOVES

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
WINDOWS = [(1366, 768), (1280, 720), (1920, 1080), (1024, 768), (820, 1180), (390, 844)]
# The message, where it is in the window with nothing on it, and what can be reached below it.
SEEN = """() => {
  const message = document.querySelector('.st-key-message [data-testid=stAlert]');
  const {top, bottom, left, right} = message.getBoundingClientRect();
  const over = document.elementFromPoint((left + right) / 2, bottom - 4);
  const board = [...document.querySelectorAll('*')]
    .map(part => part.shadowRoot?.querySelector('section.board')).find(Boolean);
  return {
    whole: top >= 0 && bottom <= innerHeight && message.contains(over),
    below: board.getBoundingClientRect().top >= bottom,
    rests: board.classList.contains('rests'),
    reached: [...board.querySelectorAll('a, button, input, [tabindex]')]
      .filter(one => one.tabIndex >= 0 && !one.closest('[inert], .strip') && one.checkVisibility())
      .length,
  };
}"""
HEIGHT = "part => part.getBoundingClientRect().height"
HELD = {"whole": True, "below": True, "rests": True, "reached": 0}


def refused(page: Page, count: int = 1) -> Page:
    """The page when it shows so many messages."""
    expect(page.locator(".st-key-message [data-testid=stAlert]")).to_have_count(count)
    return settled(page)


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


def test_without_a_picture_the_message_stands_with_the_heading(page: Page, app_url: str) -> None:
    urls = [f"{app_url}/{path}?d_model=8&n_heads=3" for path in ("scores", "all-heads", "compare")]
    found: dict[object, object] = {}
    for place, at in enumerate(one_by_one(page, urls)):
        for window in WINDOWS[place % 2 :: 2]:
            refused(resized(at, *window))
            for part in ("[data-testid=stAlert]", "h1"):
                box = box_of(at.locator(part).first)
                if not 0 < box["y"] < window[1] - box["height"]:
                    found[path_of(at), window, part] = box
            if at.locator(".st-key-stage").evaluate(HEIGHT) >= 500:
                found[path_of(at), window, "stage"] = "too high"
    assert found == {}


def test_heads_are_chosen_among_those_that_fit(visit: Visit) -> None:
    page = visit("scores?d_model=12&n_heads=4")
    for key, count in (("ArrowRight", 6), ("ArrowRight", 12), ("ArrowLeft", 6)):
        slider(page, "Heads").press(key)
        expect_url(page, f"n_heads={count}")
    page.get_by_label("Embedding size", exact=True).press("ArrowUp")
    expect_url(page, "d_model=18")
    refused(page, 0)
    page.reload()
    expect(slider(settled(page), "Heads")).to_have_count(1)
    assert (parameters(page)["d_model"], parameters(page)["n_heads"]) == ("18", "6")


def test_a_reload_keeps_every_choice(visit: Visit) -> None:
    moved = {one.name: widget_value(one, MOVES[one.name][0]) for one in CONTROLS}
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
