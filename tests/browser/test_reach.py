"""Who can use the app: keyboard alone, a finger, no network, hostile text and old names in URLs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect

from attention_lab.page_list import OLD_URLS, PAGES, page_of
from attention_lab.scenario import Scenario, trace_of
from attention_viz.labels import format_number
from attention_viz.markdown import JOINER
from tests.browser.conftest import at_home
from tests.browser.driving import (
    expect_title,
    expect_url,
    one_by_one,
    parameters,
    path_of,
    scenario_in,
    settled,
    slider,
)

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
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
    for title in ("Output", "What you have seen", "Practice"):
        page.keyboard.press("Enter")
        expect_title(page, title)
        settled(page)
        is_last = title == "Practice"
        expect(page.locator(".strip a.here" if is_last else ".strip a.after")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect_title(page, "What you have seen")


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


def test_hostile_text_stays_text(page: Page, app_url: str, request: pytest.FixtureRequest) -> None:
    assert not at_home("https://fonts.gstatic.com/s/x.woff2"), "the watch for requests works"
    assert not at_home("wss://example.org/_stcore/stream")
    assert at_home("data:image/png;base64,AAAA")
    choices = f"text={quote(HOSTILE)}&query=3&key=1&head={quote(HOSTILE)}"
    pages = PAGES if request.config.getoption("every_situation") else PAGES[::4]
    found = {}
    for at in one_by_one(page, [f"{app_url}/{entry.url_path}?{choices}" for entry in pages]):
        expect(at.get_by_label("Sentence", exact=True)).to_have_value(HOSTILE)
        if faults := at.locator(HARMFUL).evaluate_all("all => all.map(one => one.outerHTML)"):
            found[at.url] = faults
    assert found == {}


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


def test_a_notice_quotes_letter_by_letter(visit: Visit) -> None:
    asked = dict(
        zip(("n_heads", "seed", "d_model", "window", "layer", "scale"), SOUGHT, strict=True)
    )
    notices = visit(f"scores?{urlencode(asked)}").get_by_test_id("stToast")
    expect(notices).to_have_count(len(SOUGHT))
    said = "".join(notices.all_inner_texts()).replace(JOINER, "")
    assert notices.locator("a, img").count() == 0
    assert [text for text in SOUGHT if f"“{text}”" not in said] == []


@pytest.mark.every_situation
def test_the_menu_opens_new_tabs_with_the_choices(visit: Visit) -> None:
    page = visit("scores?text=a+b+c&n_heads=2")
    acts: tuple[dict[str, Any], ...] = ({"modifiers": ["Control"]}, {"button": "middle"})
    for act in acts:
        page.get_by_test_id("stTopNavSection").filter(has_text="Masks and kinds").click()
        with page.context.expect_page() as opened:
            page.get_by_test_id("stTopNavDropdownLink").filter(has_text="What changes?").click(
                **act
            )
        expect_title(opened.value, "What changes?")
        shown = scenario_in(settled(opened.value))
        assert shown == scenario_in(page) == Scenario(text="a b c", n_heads=2), act
        expect_title(page, "Scores")
        opened.value.close()
        page.keyboard.press("Escape")


def test_a_board_serves_a_finger_and_forgets_what_it_said(go: Visit) -> None:
    page = go("projections?query=4&key=1")
    page.get_by_role("application", name="W_Q").press("Enter")
    expect(page.get_by_role("button", name="Edit this number")).to_be_visible()
    buttons = page.locator(".board .dock :is(button, summary, select)").filter(visible=True).all()
    boxes = [box for button in buttons if (box := button.bounding_box())]
    assert len(boxes) >= 9
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24
    go("scores?query=4&key=1")
    said = page.locator(".board [aria-live]")
    page.get_by_role("application", name="Sₕ scores").press("ArrowDown")
    expect(said).to_contain_text("query position 5 the, key position 1 animal")
    page.get_by_label("Speed").focus()
    expect(said).to_be_empty()


@pytest.mark.every_situation
def test_a_concept_opens_where_it_is_seen_and_an_old_url_where_it_moved(
    visit: Callable[[str], Page],
) -> None:
    page = visit("questions?concepts_words=36%20columns&seed=7")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Projections").click()
    tab = settled(opened.value)
    assert path_of(tab) == "projections"
    assert parameters(tab)["notation"] == "mql5"
    scenario = scenario_in(tab)
    assert (scenario.d_model, scenario.n_heads, scenario.d_v, scenario.seed) == (12, 3, 12, 0)
    expect(tab.get_by_text("MQL5 book").first).to_be_visible()
    expect(tab.get_by_role("radio", name="values")).to_be_checked()
    tab.close()
    assert parameters(page) == {"concepts_words": "36 columns", "seed": "7"}
    old = next(iter(OLD_URLS))
    page = visit(f"{old}?lab_tokens=numbers&lab_numbers=1;%202&seed=7")
    expect_title(page, page_of(old).title)
    assert path_of(page) == page_of(old).url_path
    assert parameters(page) == {"lab_tokens": "numbers", "lab_numbers": "1; 2", "seed": "7"}
    expect(page.get_by_test_id("stToast")).to_have_count(0)
