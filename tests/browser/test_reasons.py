"""The three sentences of a step: their place in the first window, their fold, what they offer to
try, and that they do not tell what is covered.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from attention_lab.page_list import story_steps
from attention_viz.story.stages import STEPS_OF_STORY
from tests.browser.driving import resized
from tests.browser.story_page import story_opened

STEPS = [page.url_path for page in story_steps() if page.url_path in STEPS_OF_STORY]
FIRST = "weights=by+hand&d_model=8&n_heads=2&query=8&key=1"
# Where the title, the sentences and the matrices are, and the sentence that is shown.
SHOWN = """() => {
  const area = one => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return [x, y, width, height].map(Math.round);
  };
  const told = [...document.querySelectorAll('.reasons .sentence')].filter(
    one => getComputedStyle(one).visibility === 'visible');
  return {
    title: area(document.querySelector('.words h1')).slice(0, 2),
    reasons: area(document.querySelector('.reasons')),
    told: told.map(one => one.innerText),
    cut: told.map(one => one.scrollHeight > one.clientHeight + 1
      || area(one)[1] + area(one)[3] > area(one.closest('.words'))[1]
        + area(one.closest('.words'))[3] + 1),
    low: Math.max(...[...document.querySelectorAll('.words > *')].map(
      one => area(one)[1] + area(one)[3])),
    arcs: document.querySelector('.arcs')?.getBoundingClientRect().height
      ? area(document.querySelector('.arcs'))[1] : innerHeight,
    lowest: Math.max(...[...document.querySelectorAll('[data-matrix]')].map(
      one => one.getBoundingClientRect().bottom)),
    picture: document.querySelector('[data-arithmetic]').textContent,
  };
}"""
NEXT, FOLD = "Next sentence", ".reasons .fold"
# Each sentence in turn, and what is seen beside it.
IN_TURN = f"""async () => {{
  const found = [];
  for (let n = 0; n < 4; n++) {{
    if (n) document.querySelector('.reasons [aria-label="{NEXT}"]').click();
    await new Promise(requestAnimationFrame);
    found.push(({SHOWN})());
  }}
  return found;
}}"""
WINDOWS = [(1366, 768), (1280, 720)]


def test_every_step_has_three_in_one_place_and_the_third_does_what_it_says(
    page: Page, stories: Path
) -> None:
    places: dict[tuple[int, int], set[tuple[int, ...]]] = {window: set() for window in WINDOWS}
    for step in STEPS:
        page.goto("about:blank")  # else it keeps the cell that the step before has chosen
        at = story_opened(page, stories, f"{step}?{FIRST}")
        for width, height in WINDOWS:
            first, *others = resized(at, width, height).evaluate(IN_TURN)
            for shown in (first, *others):
                assert len(shown["told"]) == 1
                assert shown["cut"] == [False], (step, shown)
                assert shown["lowest"] <= height, step
                # Words and notes end above the sentence.
                assert shown["low"] <= shown["arcs"] + 1, step
                assert shown["reasons"] == first["reasons"], step
            told = [one["told"][0] for one in (first, *others)]
            assert len({*told}) == 3, step
            assert told[3] == told[0]
            places[width, height].add((*first["title"], *first["reasons"][:2]))
        for _ in range(2):
            at.get_by_role("button", name=NEXT).click()
        at.locator(".reasons .shown button").click()
        expect(at.locator("[data-arithmetic]")).not_to_have_text(first["picture"])
    assert {window: len(found) for window, found in places.items()} == dict.fromkeys(WINDOWS, 1)


def test_they_fold_to_one_line_and_stay_folded(page: Page, stories: Path) -> None:
    at = resized(story_opened(page, stories, f"projections?{FIRST}"), 1280, 720)
    open_height = at.evaluate(SHOWN)["reasons"][3]
    at.locator(FOLD).click()
    folded = at.evaluate(SHOWN)
    line = at.locator(".reasons .shown .text").evaluate(
        "one => parseFloat(getComputedStyle(one).lineHeight)"
    )
    assert folded["reasons"][3] < 2 * line < open_height + line / 2
    at = story_opened(page, stories, f"mask?{FIRST}")
    assert at.evaluate(SHOWN)["reasons"][3] < 2 * line
    at.locator(FOLD).click()
    assert at.evaluate(SHOWN)["reasons"][3] >= open_height


def test_numbers_of_a_covered_result_are_covered(page: Page, stories: Path) -> None:
    at = story_opened(page, stories, f"scores?{FIRST}")
    now = at.locator(".reasons .now")
    expect(now).to_be_visible()
    at.get_by_role("button", name="Cover the result").click()
    expect(now).to_be_hidden()
    at.get_by_role("button", name="Cover the result").click()
    expect(now).to_be_visible()
