"""Who can use the app: keyboard alone, dark theme, phone, no network, hostile text in the
URL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from attention_lab.scenario import Scenario, trace_of
from attention_ui.markdown import JOINER
from attention_ui.registry import PAGES
from attention_viz.labels import format_number
from attention_viz.theme import PALETTES
from tests.browser.conftest import at_home
from tests.browser.driving import (
    expect_title,
    expect_url,
    one_by_one,
    parameters,
    scenario_in,
    settled,
    slider,
)

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
HOSTILE = (
    "<img src=x onerror=alert(1)> <script>alert(2)</script> $x$ **b** &lt; [l](javascript:alert(3))"
)
SPACE = """* {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }"""
FOCUSED = """() => {
  const element = document.activeElement;
  if (!element?.matches('input, textarea')) return '';
  const box = element.closest(
    '[data-testid=stSlider], [data-testid=stSelectbox], [data-testid=stTextInput]');
  return box?.querySelector('label')?.innerText.trim() ?? '';
}"""


def tab_to(page: Page, label: str) -> None:
    """Press Tab until the control with this label has the focus."""
    seen = []
    for _ in range(80):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
        if seen[-1] == label:
            return
    raise AssertionError(f"Tab never reached {label!r}, only {[name for name in seen if name]}")


def test_the_watch_for_requests_works(page: Page, app_url: str) -> None:
    assert at_home(f"{app_url}/static/x.js")
    assert at_home("data:image/png;base64,AAAA")
    assert not at_home("https://fonts.gstatic.com/s/x.woff2")
    assert not at_home("wss://example.org/_stcore/stream")


def test_by_keyboard_alone(visit: Visit) -> None:
    page = visit("scores?d_model=24&n_heads=3")
    tab_to(page, "Sentence")
    tab_to(page, "Heads")
    page.keyboard.press("ArrowRight")
    expect_url(page, "!n_heads")
    settled(page)
    tab_to(page, "Query")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect_url(page, "query=")
    settled(page)
    query = int(parameters(page)["query"])
    value = trace_of(Scenario(d_model=24)).scores[0, 0, query, 0]
    expect(page.locator(".arithmetic .result").first).to_have_text(format_number(float(value), 4))
    tab_to(page, "Key")


def test_the_way_is_gone_by_one_key(visit: Visit) -> None:
    page = visit("merge")
    page.locator(".strip .after").focus()
    for title in ("Output", "What you have seen", "Practice"):
        page.keyboard.press("Enter")
        expect_title(page, title)
        settled(page)
        is_last = title == "Practice"
        expect(page.locator(".strip a.here" if is_last else ".strip a.after")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect_title(page, "What you have seen")


def test_keys_pass_by_a_sidebar_that_is_folded_in(visit: Visit, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit("break-it")
    for _ in range(6):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getBoundingClientRect().right") > 0
    page.get_by_role("button", name="Expand sidebar").click()
    sentence = page.get_by_role("textbox", name="Sentence", exact=True)
    sentence.fill("It slept")
    sentence.press("Enter")
    expect_url(page, "text=It")


def test_hostile_text_stays_text(page: Page, app_url: str) -> None:
    choices = f"text={quote(HOSTILE)}&query=3&key=1&head={quote(HOSTILE)}"
    for _ in one_by_one(page, [f"{app_url}/{entry.url_path}?{choices}" for entry in PAGES]):
        assert page.locator("img[src=x], a[href^=javascript], script:text('alert')").count() == 0
        expect(page.get_by_label("Sentence", exact=True)).to_have_value(HOSTILE)
        assert page.locator("[data-testid=stException]").count() == 0


def test_nonsense_in_the_url(visit: Visit) -> None:
    page = visit("scores?n_heads=banana&seed=99999999999999999999&query=x")
    notice = page.get_by_test_id("stToast").filter(has_text="banana")
    expect(notice).to_have_count(1)
    assert scenario_in(page) == Scenario()
    slider(page, "Heads").press("ArrowLeft")
    slider(page, "Heads").press("ArrowLeft")
    expect_url(page, "n_heads=1")
    settled(page)
    assert scenario_in(page) == Scenario(n_heads=1)
    assert notice.count() <= 1


@pytest.mark.parametrize(
    "asked",
    [
        "www.example.com",
        "http://a.b/c",
        "a@b.co",
        ":material/home:",
        ":streamlit:",
        "a -- b -> c >= d",
    ],
)
def test_a_notice_quotes_letter_by_letter(visit: Visit, asked: str) -> None:
    """What the browser would make a link, an icon or another sign after all escapes stays the
    text that was given.
    """
    notice = visit(f"scores?n_heads={quote(asked)}").get_by_test_id("stToast")
    expect(notice).to_have_count(1)
    assert f"“{asked}”" in notice.inner_text().replace(JOINER, "")
    assert notice.locator("a, img").count() == 0


@pytest.mark.parametrize("act", [{"modifiers": ["Control"]}, {"button": "middle"}])
def test_the_menu_opens_a_new_tab_with_the_choices(visit: Visit, act: dict[str, Any]) -> None:
    page = visit("scores?text=a+b+c&n_heads=2")
    page.get_by_test_id("stTopNavSection").filter(has_text="Masks and kinds").click()
    with page.context.expect_page() as opened:
        page.get_by_test_id("stTopNavDropdownLink").filter(has_text="Break it").click(**act)
    expect_title(opened.value, "Break it")
    assert (
        scenario_in(settled(opened.value)) == scenario_in(page) == Scenario(text="a b c", n_heads=2)
    )
    expect_title(page, "Scores")


def test_words_stay_in_their_buttons_with_space_around_text(visit: Visit) -> None:
    page = visit("all-heads")
    page.add_style_tag(content=SPACE)
    buttons = page.get_by_test_id("stButtonGroup").locator("button:has(p)")
    assert buttons.count() > 8
    for button in buttons.all():
        frame, word = button.bounding_box(), button.locator("p").bounding_box()
        assert frame
        assert word
        assert frame["y"] <= word["y"] <= frame["y"] + frame["height"] - word["height"]


@pytest.mark.parametrize("path", ["projections?which=", "growth?growth_kind=", "scores?n_heads=3"])
def test_a_first_run_that_does_not_end_leaves_the_page_its_style(visit: Visit, path: str) -> None:
    page = visit(path)
    expect(page.locator("#attention-lab-style")).to_have_count(1)
    assert page.evaluate("() => Boolean(history.attentionLab)")


def test_charts_follow_the_system_to_the_dark(visit: Visit) -> None:
    page = visit("head-worth")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "ink => document.querySelector('.js-plotly-plot')._fullLayout.font.color === ink",
            arg=PALETTES[scheme]["text"],
        )


def test_the_buttons_of_a_board_are_large_enough_for_a_finger(visit: Visit) -> None:
    page = visit("projections?query=4&key=1")
    page.get_by_role("application", name="W_Q").press("Enter")
    expect(page.get_by_role("button", name="Edit this number")).to_be_visible()
    buttons = page.locator(".board .dock :is(button, summary, select)").filter(visible=True).all()
    boxes = [box for button in buttons if (box := button.bounding_box())]
    assert len(boxes) >= 9
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24


def test_what_was_said_of_a_cell_goes_with_the_focus(visit: Visit) -> None:
    page = visit("scores?query=4&key=1")
    said = page.locator(".board [aria-live]")
    page.get_by_role("application", name="Sₕ scores").press("ArrowDown")
    expect(said).to_contain_text("query position 5 the, key position 1 animal")
    page.get_by_label("Speed").focus()
    expect(said).to_be_empty()
