"""Two processes of the app behind nginx, with the configuration in deploy/."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import another_tab, free_port
from tests.browser.driving import expect_url, settled, slider
from tests.browser.proxied import NGINX, Proxied, proxied, reached
from tests.browser.test_class import Class

pytestmark = [
    pytest.mark.every_situation,
    pytest.mark.skipif(not NGINX, reason="not run: this machine has no nginx"),
]
REFUSED = "() => window.refused ?? []"
NOTE_REFUSALS = """window.refused = [];
document.addEventListener("securitypolicyviolation",
  event => window.refused.push(`${event.violatedDirective} ${event.blockedURI}`));"""
N_VISITORS = 8  # of two processes each has some, but for 1 in 128 runs


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Proxied]:
    """Two processes of the app behind nginx."""
    with proxied(tmp_path, [free_port(), free_port()], free_port()) as found:
        yield found


def status(url: str) -> int:
    """The status of the answer to a request."""
    try:
        with urlopen(url, timeout=5) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def test_inner_doors_are_shut_and_headers_set(lab: Proxied) -> None:
    for path in ("metrics", "script-health-check", "agent/openapi.json"):
        assert status(f"{lab.url}/_stcore/{path}") == 404
    for path in ("static/../../nginx.conf", "_stcore/bidi-components/attention-lab.board/../../x"):
        assert status(f"{lab.url}/{path}") in (400, 404)
    for path in ("scores", "_stcore/bidi-components/attention-lab.board/board.js"):
        with urlopen(f"{lab.url}/{path}", timeout=5) as answer:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "frame-ancestors" in answer.headers["Content-Security-Policy"]


def test_pages_work_under_the_policy(lab: Proxied, context: BrowserContext) -> None:
    with another_tab(context, NOTE_REFUSALS) as tab:
        for path in ("overview", "scores", "head-worth", "trained-heads", "modern-diagonal"):
            tab.goto(f"{lab.url}/{path}")
            assert settled(tab).evaluate(REFUSED) == []
        tab.goto(f"{lab.url}/your-weights")
        upload = settled(tab).get_by_test_id("stFileUploader").locator("input[type=file]")
        with tab.expect_response("**/_stcore/upload_file/**") as sent:
            upload.set_input_files({"name": "a.npz", "mimeType": "", "buffer": b"none"})
        assert sent.value.ok


def test_processes_share_a_class(lab: Proxied, context: BrowserContext) -> None:
    with ExitStack() as tabs:
        teacher, *students = (tabs.enter_context(another_tab(context)) for _ in range(N_VISITORS))
        a_class = Class(lab.url, teacher, students[0])
        a_class.open()
        for student in students:
            student.goto(f"{lab.url}/scores")
            student.goto(f"{lab.url}/class?room={a_class.room}")
            expect(student.locator(".classroom")).to_be_visible()
        expect(teacher.locator(".people")).to_have_text(f"{len(students)} people in the room")
        assert len(reached(lab)) == 2


def test_visitors_keep_page_and_choices_if_a_process_is_killed(
    lab: Proxied, context: BrowserContext
) -> None:
    with ExitStack() as tabs:
        visitors = [tabs.enter_context(another_tab(context)) for _ in range(N_VISITORS)]
        for place, tab in enumerate(visitors):
            tab.goto(f"{lab.url}/scores?seed={place + 1}")
            settled(tab)
        assert len(reached(lab)) == 2
        next(iter(lab.processes.values())).kill()
        for place, tab in enumerate(visitors):
            expect_moved(tab)
            expect_url(tab, f"seed={place + 1}")


def expect_moved(tab: Page) -> None:
    """An act works, also where the process of the visitor is gone."""
    tab.wait_for_timeout(3_000)  # until the page has found another process
    slider(tab, "Heads").press("ArrowLeft")
    expect_url(settled(tab), "n_heads=2")
    expect(tab.get_by_test_id("stException")).to_have_count(0)
