"""The story and a lesson as files: without a network, without an origin, and in a platform."""

from __future__ import annotations

import io
import re
import zipfile
from html import escape
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from attention_core.derivation import derive
from attention_lab.focus import Focus
from attention_lab.lessons.lesson import Lesson, Moment, lesson_question
from attention_viz.course_package import course_package
from attention_viz.story.stages import OPTION_CHOICES, STEPS_OF_STORY
from attention_viz.story.story_file import story_file
from attention_viz.story.story_view import StoryView
from tests.browser.test_on_paper import at_home

VIEW = StoryView(focus=Focus(1, 8, 1, 2))
LESSON = Lesson(
    "Three moments",
    (
        Moment("One", "scores", "n_heads=2&hide=true", "First.", "Only for me."),
        Moment("Two", "softmax", question=lesson_question("Sum?", "It is 1.", ("1", "2", "3"))),
        Moment("Three", "what-changes"),
    ),
)
API = """window.told = {};
window.API = {
  LMSInitialize: () => "true", LMSCommit: () => "true",
  LMSGetValue: (name) => window.told[name] ?? "",
  LMSSetValue: (name, value) => { window.told[name] = value; return "true"; },
  LMSFinish: () => { window.told.finished = true; return "true"; },
};"""
SWIPE = """way => {
  const finger = x => new Touch({ identifier: 1, target: document.body, clientX: x, clientY: 300 });
  const act = (kind, touches, changedTouches) => document.querySelector("footer").dispatchEvent(
    new TouchEvent(kind, { bubbles: true, touches, changedTouches }));
  act("touchstart", [finger(200)], [finger(200)]);
  act("touchend", [], [finger(200 + way)]);
}"""


def test_the_story_is_walked_from_the_disk(context: BrowserContext, tmp_path: Path) -> None:
    file = tmp_path / "story.html"
    file.write_text(story_file(VIEW), encoding="utf-8")
    with at_home(context, file, has_touch=True) as page:
        heading = page.locator(".board.step h1")
        for path in (step for step in STEPS_OF_STORY if step not in OPTION_CHOICES):
            expect(heading).to_have_text(path.capitalize())
            page.keyboard.press("ArrowRight")
        expect(page.locator("#below")).to_contain_text("“it”")
        page.go_back()
        expect(heading).to_have_text("Block")
        page.goto(f"{file.as_uri()}#scores")
        expect(heading).to_have_text("Scores")
        # A pinned cell goes along; another head brings its own numbers.
        page.locator('[data-panel="scores result"]').focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Head 3").click()
        page.locator(".onward a").click()
        expect(heading).to_have_text("Scale")
        trace, result = VIEW.trace, page.locator(".arithmetic .result").first
        key = int(trace.probabilities[0, 3, 8].argmax())
        shown = derive(trace, "scaled_scores", (0, 3, 7, key)).result
        expect(result).to_have_text(f"{shown:.4f}".replace("-", "−"))
        page.get_by_role("button", name=re.compile("^Ask me")).click()
        page.locator(".guess .typed").fill("12")
        page.locator(".guess .typed").press("Enter")
        expect(page.locator(".guess .given")).to_have_text("12")
        page.get_by_role("button", name=re.compile("^Play")).click()
        page.evaluate(SWIPE, -90)
        expect(heading).to_have_text("Mask")
        page.evaluate(SWIPE, 90)
        expect(heading).to_have_text("Scale")
        # In a lecture a clicker uncovers the result before it goes on.
        page.get_by_role("button", name="Lecture mode").click()
        expect(page.locator("footer")).to_be_hidden()
        for _ in range(8):
            page.keyboard.press("PageDown")
            if heading.text_content() != "Scale":
                break
        expect(heading).to_have_text("Mask")
        page.goto(f"{file.as_uri()}#seen")
        expect(page.locator(".words .guessed")).to_contain_text("You guessed 1, 0 right.")


def framed(page: Page, document: str, **attributes: str) -> None:
    named = " ".join(f'{name}="{escape(text)}"' for name, text in attributes.items())
    page.set_content(
        f'<script>{API}</script><iframe {named} width="1200" height="700"'
        f' srcdoc="{escape(document)}"></iframe>'
    )


def test_a_lesson_reports_to_its_platform_and_runs_without_an_origin(page: Page) -> None:
    document = zipfile.ZipFile(io.BytesIO(course_package(LESSON))).read("index.html").decode()
    framed(page, document)
    inside = page.frame_locator("iframe")
    expect(inside.locator(".lesson-count")).to_have_text("1/3")
    expect(inside.locator(".board h1")).to_have_text("Scores")
    expect(inside.locator("body")).not_to_contain_text("Only for me")
    # What is pinned and uncovered in a moment changes no other moment.
    matrix = inside.locator('[data-panel="scores result"]')
    matrix.focus()
    matrix.press("ArrowDown")
    matrix.press("Enter")
    expect(inside.locator(".what")).to_contain_text("query position 1")
    inside.locator(".lesson-bar a.after").click()
    expect(inside.locator(".arithmetic")).to_have_text("?")
    inside.locator(".lesson-question button", has_text="1").click()
    expect(inside.locator(".lesson-question output")).to_have_text("It is 1.")
    expect(inside.locator(".what")).to_contain_text("query position 0")
    inside.get_by_role("button", name="Cover the result").click()
    inside.locator(".lesson-bar a.before").click()
    inside.locator(".lesson-bar a.after").click()
    expect(inside.locator(".cover")).to_have_text("Hide result")
    inside.locator(".lesson-bar a.after").click()
    expect(inside.locator(".lesson-bar")).to_contain_text("What changes?")
    told = page.evaluate("window.told")
    assert told["cmi.core.lesson_status"] == "completed"
    assert (told["cmi.core.score.raw"], told["cmi.core.lesson_location"]) == ("100", "2")
    framed(page, document, sandbox="allow-scripts")
    expect(inside.locator(".board h1")).to_have_text("Scores")
    inside.locator(".lesson-bar a.after").click()
    expect(inside.locator(".board h1")).to_have_text("Softmax")
    assert page.evaluate("window.told") == {}
