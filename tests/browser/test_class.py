"""A class in two browsers: a teacher at a projector, a student on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from attention_lab.guesses import ITEMS
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_ui.classroom.asking import item_name
from tests.browser.conftest import another_tab, answers, free_port, started
from tests.browser.driving import box_of, parameters, path_of, press_and_see, settled
from tests.browser.test_every_page import SIDEWAYS, violations

PROJECTOR, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
FIELD = "Your answer"
LESSON = shipped_lessons()["masks"]
MOMENTS = "attentionClass.now.told.moments"  # how many the teacher has gone to, as this tab knows

COUNT_DIALOGS = """() => {
    window.dialogs = 0;
    const isOne = (node) => node.querySelector?.("[role=dialog]") || node.role === "dialog";
    new MutationObserver((records) => {
        window.dialogs += records.flatMap((one) => [...one.addedNodes]).filter(isOne).length;
    }).observe(document.body, { childList: true, subtree: true });
}"""


class Class:
    """The two tabs, and the room."""

    def __init__(self, app_url: str, teacher: Page, student: Page) -> None:
        self.app_url, self.teacher, self.student, self.room = app_url, teacher, student, ""

    def open(self, path: str = "class") -> None:
        """The teacher opens a room."""
        self.teacher.goto(f"{self.app_url}/{path}")
        self.press("Open a room")
        self.room = self.teacher.locator(".class-room b").inner_text()
        # From now on the tab knows whose it is, also when it is loaded again.
        expect(self.teacher.locator(".lesson-room")).to_contain_text(self.room)

    def join(self) -> None:
        """The student comes by the link."""
        self.student.goto(f"{self.app_url}/class?room={self.room}")
        expect(self.student.locator(".classroom")).to_be_visible()
        expect(self.student.locator(".lesson-room")).to_contain_text(self.room)

    def press(self, label: str) -> None:
        """A button of the teacher's page, by its key."""
        self.teacher.get_by_role("button", name=label, exact=label == "Close").press("Enter")


@pytest.fixture
def a_class(context: BrowserContext, app_url: str) -> Iterator[Class]:
    """Two browsers that know nothing of each other; neither asks another machine or fails."""
    with (
        another_tab(context, viewport=PROJECTOR) as teacher,
        another_tab(context, viewport=PHONE) as student,
    ):
        yield Class(app_url, teacher, student)


def test_a_class_is_led_through_a_number_and_a_picture(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open("class?text=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+b&head=0")
    expect_large_letters_and_code(teacher)
    assert "teacher=" not in teacher.url
    teacher.reload()
    expect(teacher.get_by_role("button", name="Ask: open the vote")).to_be_visible()
    assert teacher.locator(".class-room b").inner_text() == a_class.room
    tickets: list[str | None] = []

    def note(request: Request) -> None:
        if "/class-room/" in request.url:
            tickets.append(request.headers.get("x-class-ticket"))

    student.on("request", note)
    a_class.join()
    expect(teacher.locator(".people")).to_have_text("1 person in the room")
    expect(teacher.get_by_test_id("stSidebar")).to_be_hidden()
    expect(student.get_by_label(FIELD)).to_have_count(0)
    a_class.press("Ask: open the vote")
    expect(teacher.locator(".classroom .count")).to_have_text("0 answers")
    field = student.get_by_label(FIELD)
    field.focus()
    for answer in ("12345", "0,5"):
        student.keyboard.press("Control+a")
        student.keyboard.type(answer)
        student.keyboard.press("Enter")
        expect(student.locator(".status")).to_contain_text(answer)
        expect(student.locator(".status")).to_have_attribute("data-state", "kept")
        expect(teacher.locator(".classroom .count")).to_have_text("1 answer")
    (ticket,) = set(tickets)  # by which the server knows who has joined by the page
    assert ticket
    expect(teacher.locator(".bars")).to_have_count(0)
    assert student.evaluate(SIDEWAYS) <= 0
    a_class.press("Close")
    expect(field).to_have_count(0)
    expect(teacher.locator(".bars li")).not_to_have_count(0)
    expect(student.locator(".bars")).to_have_count(0)
    a_class.press("Reveal")
    for page in (teacher, student):
        expect(page.locator("p.arithmetic")).to_be_visible()
        expect(page.locator(".bars li.right")).to_have_count(1)
        assert page.locator(".classroom img").count() == 0
    guess_by_pictures(a_class)


def expect_large_letters_and_code(teacher: Page) -> None:
    """The letters of the room and its code can be read from the back of the room."""
    letters = teacher.locator(".class-room b")
    assert letters.evaluate("b => parseFloat(getComputedStyle(b).fontSize)") >= 80
    picture = teacher.locator(".class-room img")
    code = picture.bounding_box()
    assert code is not None
    assert min(code["width"], code["height"]) >= 240
    assert code["y"] + code["height"] <= 720
    assert picture.evaluate("img => img.naturalWidth") > 0


def guess_by_pictures(a_class: Class) -> None:
    """The next question has four pictures, of which the student takes two in turn."""
    teacher, student = a_class.teacher, a_class.student
    for label, option in (("From", "Guess first"), ("About", item_name("softmax-picture"))):
        teacher.get_by_role("combobox", name=label).fill(option)
        teacher.get_by_role("option", name=option).click()
    expect(teacher.get_by_text(ITEMS["softmax-picture"].prompt)).to_be_visible()
    a_class.press("Ask: open the vote")
    options = student.locator(".classroom button.option")
    expect(options).to_have_count(4)
    assert options.locator("canvas").count() == 4
    for place in (1, 3):
        options.nth(place).press("Enter")
        expect(student.locator(".classroom button.option[aria-pressed=true]")).to_have_count(1)
        expect(options.nth(place)).to_have_attribute("aria-pressed", "true")
    expect(student.locator(".status")).to_have_attribute("data-state", "kept")
    assert violations(teacher) == violations(student) == []
    assert student.evaluate(SIDEWAYS) <= 0
    a_class.press("Reveal")
    expect(teacher.locator(".bars .number")).to_have_text(["0", "0", "0", "1"])
    expect(student.locator(".bars canvas")).to_have_count(4)
    assert violations(teacher) == violations(student) == []


@pytest.mark.every_situation
def test_a_student_follows_leaves_and_is_asked_elsewhere(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    a_class.join()
    teacher.goto(f"{a_class.app_url}/softmax?mask=causal&head=1&text=one+two+three")
    expect(teacher.locator(".lesson-room")).to_contain_text(a_class.room)
    student.wait_for_url("**/softmax?*")
    expect(student.get_by_role("heading", name="Softmax").first).to_be_visible()
    asked = urlsplit(student.url).query.split("&")
    assert {"mask=causal", "head=1", "text=one+two+three"} <= set(asked)
    student.get_by_role("button", name="Stop following").click()
    known = student.evaluate(MOMENTS)
    teacher.goto(f"{a_class.app_url}/scores?n_heads=2&head=0")
    student.wait_for_function(f"known => {MOMENTS} > known", arg=known)
    assert urlsplit(student.url).path == "/softmax"
    student.get_by_role("button", name="Follow teacher").click()
    student.wait_for_url("**/scores?*")
    assert "n_heads=2" in student.url
    assert "mask=causal" not in student.url
    student.get_by_role("button", name="Stop following").click()
    teacher.goto(f"{a_class.app_url}/class?room={a_class.room}")
    a_class.press("Ask: open the vote")
    student.get_by_role("button", name="Answer", exact=True).click()
    expect(student.get_by_label(FIELD)).to_be_visible()


@pytest.mark.every_situation
def test_a_class_goes_on_while_one_of_its_two_servers_is_killed(
    tmp_path: Path, a_class: Class
) -> None:
    ports = [free_port(), free_port()]
    servers = [started(tmp_path, port) for port in ports]
    urls = [f"http://localhost:{port}" for port in ports]
    status = a_class.student.locator(".status")
    try:
        assert all(map(answers, servers, urls))
        a_class.app_url = urls[0]
        a_class.open()
        a_class.app_url = urls[1]
        a_class.join()
        a_class.press("Ask: open the vote")
        a_class.student.evaluate(COUNT_DIALOGS)
        for answer, state in (("1", "kept"), ("2", "refused")):
            a_class.student.get_by_label(FIELD).fill(answer)
            a_class.student.get_by_role("button", name="Send").click()
            expect(status).to_have_attribute("data-state", state)
            expect(a_class.teacher.locator(".classroom .count")).to_have_text("1 answer")
            servers[1].kill()
            servers[1].wait(30)
        # Streamlit lays its dialog over the page, which can be typed on all the same.
        a_class.student.wait_for_function("window.dialogs > 0", timeout=60_000)
        a_class.student.get_by_label(FIELD).click()
        a_class.student.keyboard.type("3")
        expect(a_class.student.get_by_label(FIELD)).to_have_value("23")
        servers.append(started(tmp_path, ports[1]))
        assert answers(servers[2], urls[1])
        expect(status).to_have_attribute("data-state", "kept", timeout=60_000)
        a_class.teacher.reload()
        expect(a_class.teacher.locator(".classroom .count")).to_have_text(
            "1 answer", timeout=60_000
        )
    finally:
        for server in servers:
            server.kill()
            server.wait(30)


def opened_lesson(page: Page) -> None:
    """The lesson, opened by its link on *For teachers*, in the tab that holds the room."""
    page.evaluate("attentionClass.open('/for-teachers')")
    link = page.locator("a[href*='lesson=masks']").last
    link.dispatch_event("click")
    expect(page.locator(".lesson-count")).to_have_text(f"1/{len(LESSON.moments)}")
    settled(page)


def test_the_clicker_alone_leads_a_class_through_a_lesson(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    a_class.join()
    n_tabs = sum(len(one.pages) for one in teacher.context.browser.contexts)
    opened_lesson(teacher)
    assert sum(len(one.pages) for one in teacher.context.browser.contexts) == n_tabs
    here = {**parameters(teacher), "present": "true"}
    teacher.evaluate(
        "there => attentionClass.open(there)", f"/{path_of(teacher)}?{urlencode(here)}"
    )
    settled(teacher)
    question = LESSON.question_at(0)
    assert question is not None
    expect(teacher.locator(".lesson-room")).to_contain_text("1 in")
    expect_bar_over_nothing(teacher)
    teacher.keyboard.press("PageDown")
    options = student.locator(".classroom button.option")
    expect(options).to_have_text([re.compile(re.escape(one.label)) for one in question.options])
    wrong = (question.right + 1) % len(question.options)
    options.nth(wrong).click()
    expect(teacher.locator(".lesson-room .count")).to_have_text("1 of 1")
    expect(teacher.locator(".lesson-bar [data-votes]")).to_have_count(0)
    expect(teacher.locator(".lesson-question output")).to_be_hidden()
    expect_bar_over_nothing(teacher)
    teacher.keyboard.press("PageDown")
    expect(teacher.locator(".lesson-question.answered output")).to_be_visible()
    voted = teacher.locator(".lesson-question [data-votes='1']")
    expect(voted).to_have_text(question.options[wrong].label)
    expect(student.locator(".status")).to_have_attribute("data-state", "wrong")
    student.wait_for_url(f"**/{LESSON.moments[0].page}?*", timeout=30_000)
    expect(student.locator(".lesson-question.answered")).to_be_visible()
    for hidden in (".lesson-act", ".lesson-step", ".lesson-note", ".lesson-reveal"):
        for one in student.locator(f".lesson-bar {hidden}").all():
            expect(one).to_be_hidden()
    for _ in range(4):
        if parameters(teacher)["moment"] == LESSON.moments[1].name:
            break
        press_and_see(teacher, "PageDown")
    settled(teacher)
    shown = (parameters(teacher)["moment"], parameters(teacher)["present"])
    assert shown == (LESSON.moments[1].name, "true")
    student.wait_for_url("**/class?*")  # the next question is not asked yet
    teacher.get_by_role("link", name="End lesson").click()
    thanks = student.locator(".classroom a")
    expect(thanks).to_have_attribute("href", "/?lesson=masks")


def expect_bar_over_nothing(page: Page) -> None:
    """No part of the bar lies over another one, and the bar over nothing of the page."""
    bar = box_of(page.locator(".lesson-bar"))
    stage = box_of(page.locator(".st-key-stage"))
    assert bar["y"] + bar["height"] <= stage["y"] + 1
    parts = ".lesson-line > :is(a, b, .lesson-note), .lesson-room .class > *"
    boxes = [box_of(one) for one in page.locator(parts).all() if one.is_visible()]
    assert len(boxes) > 6
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            assert is_apart(one, other, "x", "width") or is_apart(one, other, "y", "height")


def is_apart(one: dict[str, float], other: dict[str, float], at: str, size: str) -> bool:
    """Whether two boxes share no more than a pixel along a side."""
    first, second = sorted((one, other), key=lambda box: float(box[at]))
    return float(first[at] + first[size]) <= second[at] + 1


@pytest.mark.every_situation
def test_a_class_is_asked_about_the_step_that_is_shown(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    a_class.join()
    teacher.evaluate("attentionClass.open('/scores?seed=2')")
    ask = teacher.get_by_role("button", name="Ask the class")
    expect(ask).to_be_visible()
    # A page that is on its way offers nothing: its question would be that of the page before.
    assert (
        teacher.evaluate(
            """() => {
            attentionClass.open('/softmax?mask=causal&n_heads=2');
            return attentionClass.offered();
        }"""
        )
        is None
    )
    teacher.wait_for_function("attentionClass.offered()")
    ask.click()
    expect(student.locator(".classroom h2")).not_to_be_empty()
    asked = student.locator(".classroom h2").inner_text()
    expect(teacher.locator(".asked b")).to_have_text(asked)
    # Whatever the teacher shows meanwhile, the class stays at its vote.
    teacher.evaluate("attentionClass.open('/scores?seed=2')")
    expect(teacher.locator(".lesson-room").get_by_role("button", name="Reveal")).to_be_visible()
    expect(teacher.locator(".asked b")).to_have_text(asked)
    teacher.reload()  # the next visit knows the room by itself
    expect(teacher.locator(".class-ask")).to_have_count(1)
    teacher.get_by_role("button", name="Close", exact=True).click()
    teacher.get_by_role("button", name="Vote again").click()
    expect(teacher.locator(".lesson-room .count")).to_have_text("0 of 1")
    teacher.get_by_role("button", name=a_class.room).click()
    expect(teacher.locator(".classroom h2")).to_have_text(asked)
    assert parameters(teacher)["seed"] == "2"  # a question here is about the same layer
    assert path_of(student) == "class"


@pytest.mark.every_situation
def test_the_picture_of_a_moment_stands_beside_its_question(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    a_class.join()
    teacher.evaluate(
        "attentionClass.open('/?lesson=multi-head-attention&moment=divide-by-the-root')"
    )
    expect(teacher.locator(".lesson-count")).to_have_text("5/11")
    teacher.get_by_role("button", name=a_class.room).click()
    expect(teacher.get_by_test_id("stHeader")).to_be_visible()
    picture, panel = teacher.locator(".st-key-class-picture"), "[data-role=result]"
    expect(picture.locator(".soft.over").first).to_be_visible()
    teacher.keyboard.press("PageDown")
    expect(student.locator(".classroom button.option")).to_have_count(2)
    for size in ({"width": 1920, "height": 1080}, PROJECTOR):
        teacher.set_viewport_size(size)
        question = box_of(teacher.locator(".classroom h2"))
        result = box_of(picture.locator(panel).first)
        letters = box_of(teacher.locator(".class-room b"))
        assert question["x"] + question["width"] <= result["x"]
        assert result["y"] + result["height"] <= size["height"]
        assert result["x"] + result["width"] <= letters["x"]
        assert letters["width"] < 200
    teacher.keyboard.press("PageDown")
    expect(teacher.locator(".bars")).to_be_visible()
    expect(picture.locator(".soft.over")).to_have_count(0)
    press_and_see(teacher, "PageDown")
    expect(teacher.locator(".lesson-count")).to_have_text("6/11")
