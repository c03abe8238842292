"""Who can use the app: keyboard alone, a finger, no network, hostile text and old names in URLs."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect

from attention_lab.page_list import PAGES, page_of
from attention_lab.scenario import Scenario, trace_of
from attention_lab.words.numbers import format_number
from attention_viz.markdown import JOINER
from tests.browser.conftest import at_home
from tests.browser.driving import (
    Visit,
    expect_title,
    expect_url,
    one_by_one,
    parameters,
    path_of,
    scenario_in,
    settled,
    slider,
)

HOSTILE = (
    "<img src=x onerror=alert(1)> <script>alert(2)</script> $x$ **b** &lt; [l](javascript:alert(3))"
)
HARMFUL = "img[src=x], a[href^=javascript], script:text('alert'), [data-testid=stException]"
# What the browser would make a link, an icon or another sign.
SOUGHT = (
    "www.example.com",
    "http://a.b/c",
    "a@b.co",
    ":material/home:",
    ":streamlit:",
    "a -- b -> c >= d",
)
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


def test_the_app_is_used_by_keys_alone(go: Visit) -> None:
    page = go("scores?d_model=24&n_heads=3")
    link = page.locator(".skip-to-board:not(.to-sentence)")
    expect(link).not_to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("[data-role=result]")).to_be_focused()
    page.keyboard.press("Escape")  # gives the arrow keys back
    expect(page.locator("[data-role=result]")).not_to_be_focused()
    link.focus()
    page.keyboard.press("Tab")  # the sentence is two tabs away
    page.keyboard.press("Enter")
    expect(page.get_by_label("Sentence", exact=True)).to_be_focused()
    link.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".arithmetic .what")).to_contain_text("animal")
    page.locator(".strip a.here").focus()  # the strip is one stop
    page.keyboard.press("Tab")
    assert page.locator(".strip a:focus").count() == 0
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
    go("merge").locator(".strip .after").focus()
    for title in ("Output", "Block", "What you have seen", "Practice"):
        page.keyboard.press("Enter")
        expect_title(page, title)
        settled(page)
        expect(page.locator(".strip a.after")).to_be_focused()
    page.locator(".strip a.here").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect_title(page, "What you have seen")
    expect(page.locator(".skip-to-board:not(.to-sentence)")).to_have_count(0)  # no board to skip to
    go("what-changes?change=hidden")
    spot = page.get_by_text("Show the answer")
    outline = "element => getComputedStyle(element.closest('a, label')).outline"
    assert "solid 2px" not in spot.evaluate(outline)
    page.get_by_label("Round", exact=True).focus()
    page.keyboard.press("Tab")
    assert "solid 2px" in spot.evaluate(outline)


@pytest.mark.every_situation
def test_keys_pass_by_a_sidebar_that_is_folded_in(visit: Visit, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit("what-changes")
    for _ in range(6):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getBoundingClientRect().right") > 0
    page.get_by_role("button", name="Expand sidebar").click()
    sentence = page.get_by_role("textbox", name="Sentence", exact=True)
    sentence.fill("It slept")
    sentence.press("Enter")
    expect_url(page, "text=It")


@pytest.mark.every_situation
def test_hostile_text_stays_text(page: Page, app_url: str, request: pytest.FixtureRequest) -> None:
    assert not at_home("https://fonts.gstatic.com/s/x.woff2"), "the watch for requests works"
    assert not at_home("wss://example.org/_stcore/stream")
    assert at_home("data:image/png;base64,AAAA")
    choices = f"text={quote(HOSTILE)}&query=3&key=1&head={quote(HOSTILE)}"
    pages = PAGES if request.config.getoption("every_situation") else PAGES[::12]
    found = {}
    for at in one_by_one(page, [f"{app_url}/{entry.url_path}?{choices}" for entry in pages]):
        expect(at.get_by_label("Sentence", exact=True)).to_have_value(HOSTILE)
        if faults := at.locator(HARMFUL).evaluate_all("all => all.map(one => one.outerHTML)"):
            found[at.url] = faults
    assert found == {}


@pytest.mark.every_situation
def test_nonsense_in_the_url_is_quoted_letter_by_letter(visit: Visit) -> None:
    asked = dict(
        zip(("n_heads", "seed", "d_model", "window", "layer", "scale"), SOUGHT, strict=True)
    )
    page = visit(f"scores?query=x&{urlencode(asked)}")
    notices = page.get_by_test_id("stToast")
    expect(notices).to_have_count(1 + len(SOUGHT))
    said = "".join(notices.all_inner_texts()).replace(JOINER, "")
    assert notices.locator("a, img").count() == 0
    assert [text for text in SOUGHT if f"“{text}”" not in said] == []
    assert scenario_in(page) == Scenario()
    slider(page, "Heads").press("ArrowLeft")
    slider(page, "Heads").press("ArrowLeft")
    expect_url(page, "n_heads=1")
    settled(page)
    assert scenario_in(page) == Scenario(n_heads=1)
    assert notices.count() <= 1 + len(SOUGHT)
    visit("concepts?lab_tokens=numbers&lab_numbers=1;%202&seed=7")
    expect_title(page, page_of("concepts").title)
    assert path_of(page) == page_of("concepts").url_path
    assert parameters(page) == {"lab_tokens": "numbers", "lab_numbers": "1; 2", "seed": "7"}
    expect(notices).to_have_count(0)
