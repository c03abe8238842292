"""A fresh server that the launcher started never shows a visitor "Page not found"."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import ROOT, answers, free_port
from tests.browser.driving import expect_title, settled

pytestmark = pytest.mark.browser

# Counts how often the page changed with such a dialog in it, however soon something closes it.
WATCH = """
window.seen = {looks: 0, boxes: 0};
new MutationObserver(() => {
  window.seen.looks += 1;
  for (const dialog of document.querySelectorAll('[role=dialog]')) {
    if (dialog.textContent.includes('Page not found')) window.seen.boxes += 1;
  }
}).observe(document, {childList: true, subtree: true, characterData: true});
"""


@pytest.fixture
def launched(tmp_path: Path) -> Iterator[str]:
    """The address of an app that the launcher started and nobody has visited; its log must hold
    no traceback at the end.
    """
    port, log = free_port(), tmp_path / "server.log"
    options = ["--server.port", str(port), "--server.headless", "true"]
    with log.open("w", encoding="utf-8") as output:
        command = [sys.executable, "-m", "attention_ui.launch", *options]
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    address = f"http://localhost:{port}"
    try:
        assert answers(server, address), log.read_text(encoding="utf-8")
        yield address
    finally:
        server.terminate()
        server.wait(timeout=30)
    assert "Traceback" not in log.read_text(encoding="utf-8")


def boxes(page: Page, address: str, path: str) -> int:
    """Open a page by its address in a new visit; how often the box was seen until all is drawn."""
    page.goto(f"{address}/{path}")
    settled(page)
    expect_title(page, path.capitalize())
    assert page.evaluate("window.seen.looks") > 0
    return int(page.evaluate("window.seen.boxes"))


def test_no_visitor_sees_the_box(page: Page, launched: str) -> None:
    """Neither the first visitor of a fresh server nor the second, each by the address of a page."""
    page.add_init_script(WATCH)
    assert [boxes(page, launched, path) for path in ("scores", "output")] == [0, 0]


def test_the_watch_sees_the_box(page: Page, fresh_address: str) -> None:
    """Started by `streamlit run`, the first visitor gets the box for a moment, and the watch sees
    it.
    """
    page.add_init_script(WATCH)
    assert boxes(page, fresh_address, "scores") > 0
