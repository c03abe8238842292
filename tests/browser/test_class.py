"""A class in two browsers: a teacher at a projector, a student on a phone."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import answers, free_port, started, watched
from tests.browser.test_every_page import violations
from tests.browser.test_larger_type import SIDEWAYS

pytestmark = pytest.mark.browser

PROJECTOR, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
FIELD = "Your answer"


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
        expect(self.teacher.locator("#attention-corner")).to_contain_text(self.room)

    def join(self) -> None:
        """The student comes by the link."""
        self.student.goto(f"{self.app_url}/class?room={self.room}")
        expect(self.student.locator(".classroom")).to_be_visible()
        expect(self.student.locator("#attention-corner .class")).to_contain_text(self.room)

    def press(self, label: str) -> None:
        """A button of the teacher's page, by its key."""
        self.teacher.get_by_role("button", name=label).press("Enter")


@pytest.fixture
def a_class(context: BrowserContext, app_url: str) -> Iterator[Class]:
    """Two browsers that know nothing of each other; neither asks another machine or fails."""
    assert context.browser is not None
    with ExitStack() as stack:
        tabs, faults = [], []
        for window in (PROJECTOR, PHONE):
            visitor = context.browser.new_context(viewport=window)
            visitor.set_default_timeout(30_000)
            stack.callback(visitor.close)
            tabs.append(visitor.new_page())
            faults.append(stack.enter_context(watched(tabs[-1])))
        yield Class(app_url, *tabs)
        assert faults == [[], []]


def test_a_class_votes_and_is_told(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open("class?text=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+b&head=0")
    a_class.join()
    expect(teacher.locator(".people")).to_have_text("1 person in the room")
    expect(teacher.get_by_test_id("stSidebar")).to_be_hidden()
    expect(student.get_by_label(FIELD)).to_have_count(0)
    a_class.press("Ask: open the vote")
    expect(teacher.locator(".count")).to_have_text("0 answers")
    field = student.get_by_label(FIELD)
    field.focus()
    for answer in ("12345", "0,5"):
        student.keyboard.press("Control+a")
        student.keyboard.type(answer)
        student.keyboard.press("Enter")
        expect(student.locator(".status")).to_contain_text(answer)
        expect(student.locator(".status")).to_have_attribute("data-state", "kept")
        expect(teacher.locator(".count")).to_have_text("1 answer")
    expect(teacher.locator(".bars")).to_have_count(0)
    assert student.evaluate(SIDEWAYS) <= 0
    a_class.press("Close the vote")
    expect(field).to_have_count(0)
    expect(teacher.locator(".bars li")).not_to_have_count(0)
    expect(student.locator(".bars")).to_have_count(0)
    a_class.press("Reveal the answer")
    for page in (teacher, student):
        expect(page.locator(".arithmetic")).to_be_visible()
        expect(page.locator(".bars li.right")).to_have_count(1)
        assert page.locator(".classroom img").count() == 0


def test_a_class_guesses_by_pictures(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    for label, option in (("From", "Guess first"), ("About", "softmax, picture")):
        teacher.get_by_role("combobox", name=label).fill(option)
        teacher.get_by_role("option", name=option).click()
    a_class.join()
    a_class.press("Ask: open the vote")
    options = student.locator("button.option")
    expect(options).to_have_count(4)
    assert options.locator("canvas").count() == 4
    for place in (1, 3):
        options.nth(place).press("Enter")
        expect(student.locator("button.option[aria-pressed=true]")).to_have_count(1)
        expect(options.nth(place)).to_have_attribute("aria-pressed", "true")
    expect(student.locator(".status")).to_have_attribute("data-state", "kept")
    assert violations(teacher) == violations(student) == []
    assert student.evaluate(SIDEWAYS) <= 0
    a_class.press("Reveal the answer")
    expect(teacher.locator(".bars .number")).to_have_text(["0", "0", "0", "1"])
    expect(student.locator(".bars canvas")).to_have_count(4)
    assert violations(teacher) == violations(student) == []


def test_letters_and_code_are_large(a_class: Class) -> None:
    a_class.open()
    teacher = a_class.teacher
    letters = teacher.locator(".class-room b")
    assert letters.evaluate("b => parseFloat(getComputedStyle(b).fontSize)") >= 80
    code = teacher.locator(".class-room img").bounding_box()
    assert code is not None
    assert min(code["width"], code["height"]) >= 240
    assert code["y"] + code["height"] <= 720
    assert teacher.locator(".class-room img").evaluate("img => img.naturalWidth") > 0
    assert "teacher=" not in teacher.url
    teacher.reload()
    expect(teacher.get_by_role("button", name="Ask: open the vote")).to_be_visible()
    assert teacher.locator(".class-room b").inner_text() == a_class.room


def test_a_student_follows_and_leaves(a_class: Class) -> None:
    teacher, student = a_class.teacher, a_class.student
    a_class.open()
    a_class.join()
    teacher.goto(f"{a_class.app_url}/softmax?mask=causal&head=1&text=one+two+three")
    expect(teacher.locator("#attention-corner")).to_contain_text(a_class.room)
    student.wait_for_url("**/softmax?*")
    expect(student.get_by_role("heading", name="Softmax").first).to_be_visible()
    asked = urlsplit(student.url).query.split("&")
    assert {"mask=causal", "head=1", "text=one+two+three"} <= set(asked)
    student.get_by_role("button", name="Stop following").click()
    teacher.goto(f"{a_class.app_url}/scores?n_heads=2&head=0")
    student.wait_for_timeout(2_000)
    assert urlsplit(student.url).path == "/softmax"
    student.get_by_role("button", name="Follow teacher").click()
    student.wait_for_url("**/scores?*")
    assert "n_heads=2" in student.url
    assert "mask=causal" not in student.url


def test_a_question_reaches_who_looks_elsewhere(a_class: Class) -> None:
    a_class.open()
    a_class.join()
    student = a_class.student
    student.get_by_role("button", name="Stop following").click()
    student.goto(f"{a_class.app_url}/scores?head=0")
    a_class.press("Ask: open the vote")
    student.get_by_role("button", name="Answer", exact=True).click()
    expect(student.get_by_label(FIELD)).to_be_visible()


def test_a_killed_server_loses_no_vote(
    context: BrowserContext, tmp_path: Path, a_class: Class
) -> None:
    port = free_port()
    a_class.app_url = f"http://localhost:{port}"
    server = started(tmp_path, port)
    try:
        assert answers(server, a_class.app_url)
        a_class.open()
        a_class.join()
        a_class.press("Ask: open the vote")
        student, status = a_class.student, a_class.student.locator(".status")
        student.get_by_label(FIELD).fill("1")
        student.get_by_role("button", name="Send").click()
        expect(status).to_have_attribute("data-state", "kept")
        server.kill()
        server.wait(30)
        student.get_by_label(FIELD).fill("2")
        student.get_by_role("button", name="Send").click()
        expect(status).to_have_attribute("data-state", "refused")  # no answer yet, and it says so
        server = started(tmp_path, port)
        assert answers(server, a_class.app_url)
        expect(status).to_have_attribute("data-state", "kept", timeout=60_000)
        a_class.teacher.reload()
        expect(a_class.teacher.locator(".count")).to_have_text("1 answer", timeout=60_000)
    finally:
        server.kill()
        server.wait(30)


def test_two_processes_serve_one_class(
    context: BrowserContext, tmp_path: Path, a_class: Class
) -> None:
    ports = [free_port(), free_port()]
    servers: list[subprocess.Popen[bytes]] = [started(tmp_path, port) for port in ports]
    try:
        for server, port in zip(servers, ports, strict=True):
            assert answers(server, f"http://localhost:{port}")
        a_class.app_url = f"http://localhost:{ports[0]}"
        a_class.open()
        a_class.app_url = f"http://localhost:{ports[1]}"
        a_class.join()
        a_class.press("Ask: open the vote")
        a_class.student.get_by_label(FIELD).fill("3")
        a_class.student.get_by_role("button", name="Send").click()
        expect(a_class.teacher.locator(".count")).to_have_text("1 answer")
    finally:
        for server in servers:
            server.kill()
            server.wait(30)
