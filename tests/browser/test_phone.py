"""A step on a phone: a finger explores it, and what explains it leaves it in sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import CDPSession, Page, expect

from attention_lab.page_list import CHAPTERS, chapter_pages, story_steps
from tests.browser.driving import StepAt, box_of, cell_at, expect_title, naming, opened
from tests.browser.test_every_page import violations
from tests.browser.test_stage import FIRST

HEIGHT = 664
SHARE = 0.25  # of the height, which what explains a cell takes at most
STEPS = [page.url_path for page in story_steps() if page.fields and page.url_path != "overview"]
READ = ("split", "mask")  # whose faults for a reader are looked for
FITS = "element => element.scrollWidth <= element.clientWidth + 1"


def finger(session: CDPSession, kind: str, *places: tuple[float, float]) -> None:
    """Put a finger down, move it, or lift it."""
    points = [{"x": x, "y": y} for x, y in places]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> CDPSession:
    """Draw a finger from a place to another, in small steps, and leave it there."""
    session = page.context.new_cdp_session(page)
    finger(session, "touchStart", start)
    for i in range(1, 11):
        share = i / 10
        place = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
        finger(session, "touchMove", place)
    return session


def test_the_way_on_a_phone(phone: Page, step_at: StepAt) -> None:
    found: dict[tuple[str, object], object] = {}
    phone.set_viewport_size({"width": 390, "height": HEIGHT})
    paths = [f"{step}?{FIRST}" for step in STEPS]
    covered = [f"{step}?{FIRST}&hide=true" for step in ("overview", "softmax")]
    slid = "tokens?text=big+frog&weights=language+model&layer=4"  # a slider, and nothing to compute
    for path in [*paths, *covered, slid]:
        page, step = step_at(phone, path), path.partition("?")[0]
        wide = page.evaluate("document.documentElement.scrollWidth")
        dock = box_of(page.locator(".board .dock").first)["height"]
        if wide > 390 or (step in STEPS and dock > SHARE * HEIGHT):
            found[step, path] = (dock, wide)
        if (step in READ or "hide" in path) and (wrong := violations(page)):
            found[step, "hide" in path] = wrong
    assert found == {}


def test_a_finger_explores(phone: Page, step_at: StepAt) -> None:
    page = step_at(phone, f"scores?{FIRST}")
    glass = page.locator(".glass")
    page.locator("[data-role=result]").scroll_into_view_if_needed()
    page.mouse.wheel(0, 200)
    start, end = (cell_at(page, "scores", (0, 0, 2, key)) for key in (1, 5))
    before = page.url
    session = drag(page, start, end)
    for word in ("box", "saw"):
        expect(page.locator(".arithmetic .what")).to_contain_text(word)
    expect(glass).to_be_hidden()  # which only small cells need
    finger(session, "touchEnd")
    assert page.url == before

    step_at(page, "projections?n_tokens=16&d_model=64&n_heads=8")
    buttons = page.locator(".board .dock :is(button, summary, select)").filter(visible=True).all()
    boxes = [box_of(button) for button in buttons]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24
    page.locator("[data-role=result]").scroll_into_view_if_needed()
    start = cell_at(page, "inputs", (0, 2, 3))
    expect(glass).to_be_hidden()
    session = drag(page, start, (start[0] + 30, start[1]))
    expect(glass).to_be_visible()
    frame = box_of(glass)
    assert frame["x"] >= 0
    assert frame["x"] + frame["width"] <= 390
    assert not frame["y"] <= start[1] <= frame["y"] + frame["height"], "the finger hides it"
    finger(session, "touchEnd")
    expect(glass).to_be_hidden()


def test_terms_that_do_not_fit_are_added_up(phone: Page, step_at: StepAt) -> None:
    step_at(phone, "scores?n_tokens=16&d_model=64&n_heads=4")
    arithmetic = phone.locator(".board .arithmetic").first
    terms = arithmetic.locator(".terms")
    chips = terms.locator(".chip")
    assert terms.evaluate(FITS)
    assert chips.count() < 16
    line = box_of(arithmetic)
    phone.get_by_role("button", name="All terms in a column").tap()
    expect(chips).to_have_count(16)
    assert terms.evaluate(FITS)
    assert line["height"] < box_of(arithmetic)["height"] <= SHARE * 844
    phone.get_by_role("button", name="The arithmetic in one line").tap()
    assert box_of(arithmetic)["height"] == line["height"]
    # The share of the first word and the name of the head both begin a line.
    step_at(phone, "softmax?mask=causal&n_heads=2&query=0")
    share, head = (box_of(phone.locator(part).first) for part in (".arcs text", ".arc-head"))
    assert share["x"] + share["width"] < head["x"] or head["x"] + head["width"] < share["x"]
    step_at(phone, f"tokens?{FIRST}&query=1&feature=0")  # whose terms are no products
    expect(phone.locator(".arithmetic .chip b").filter(visible=True)).to_have_count(2)


@pytest.mark.every_situation
def test_one_button_leads_to_every_page(phone: Page, app_url: str) -> None:
    opened(phone, f"{app_url}/one-head")  # a board that is no step
    expect(phone.get_by_role("button", name="All terms in a column").first).to_be_visible()
    opened(phone, f"{app_url}/{naming('scores')}")
    book = phone.locator("#attention-book")
    expect(book.locator(".chapters")).to_be_hidden()
    expect(phone.locator(".strip").first).to_be_hidden()
    book.get_by_role("button", name="Pages").tap()
    expect(book.locator("summary")).to_have_text(list(CHAPTERS.values()))
    story = [page.title for page in chapter_pages("story")]
    expect(book.locator("a").filter(visible=True)).to_have_text(story)
    book.locator("summary", has_text=CHAPTERS["labs"]).tap()
    expect(book.locator("a").filter(visible=True)).to_have_count(len(chapter_pages("labs")))
    book.get_by_role("link", name="Convolution").tap()
    expect_title(phone, "Convolution")
    expect(book.locator(".list")).to_be_hidden()


KEYBOARD = 364  # px, which a phone's keyboard takes of the window


@pytest.mark.every_situation
def test_the_picture_of_a_sentence_stays_in_sight_while_it_is_typed(
    phone: Page, app_url: str
) -> None:
    """Below the drawer with the field; after Enter alone in what the keyboard leaves."""
    page = opened(phone, f"{app_url}/?{FIRST}")
    left = 844 - KEYBOARD
    page.get_by_test_id("stExpandSidebarButton").tap()
    field = page.locator(".st-key-text input")
    field.tap()
    page.set_viewport_size({"width": 390, "height": left})
    drawer, arcs = page.get_by_test_id("stSidebar"), page.locator(".board .arcs")
    for part in (field, arcs):
        expect(part).to_be_in_viewport(ratio=1)
    assert box_of(arcs)["y"] >= box_of(drawer)["y"] + box_of(drawer)["height"]
    field.fill("the dog saw the queen and then it ran")
    field.press("Enter")
    word = arcs.locator(".arc-word").filter(has_text="queen")
    expect(word).to_be_in_viewport(ratio=1)
    dock = page.locator(".board .dock").first
    assert box_of(dock)["y"] >= box_of(arcs)["y"] + box_of(arcs)["height"]
    page.set_viewport_size({"width": 390, "height": HEIGHT})
