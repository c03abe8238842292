"""A server that nobody has visited yet: no false message, nothing without its style, and plotly.js
that a browser keeps.
"""

from __future__ import annotations

import socket

from playwright.sync_api import Page, Response

from attention_ui.browser_files import PLOTLY_URL
from tests.browser.driving import settled

# How often the page changed, and how often with a dialog in it, however soon something closes it;
# the opacities of the app before its style sheet came.
WATCH = """
window.seen = {looks: 0, boxes: 0, opacities: []};
new MutationObserver(() => {
  window.seen.looks += 1;
  for (const dialog of document.querySelectorAll('[role=dialog]')) {
    if (dialog.textContent.includes('Page not found')) window.seen.boxes += 1;
  }
  const app = document.querySelector('[data-testid=stApp]');
  if (!app || document.getElementById('attention-lab-style')) return;
  const {opacity} = getComputedStyle(app);
  if (!window.seen.opacities.includes(opacity)) window.seen.opacities.push(opacity);
}).observe(document, {childList: true, subtree: true, characterData: true});
"""
STYLE = """() => [document.querySelectorAll('#attention-lab-style').length,
  getComputedStyle(document.querySelector('[data-testid=stApp]')).opacity,
  Boolean(history.attentionLab)]"""
# The second has a first run that does not end: it writes the URL and begins again.
PATHS = ("head-worth", "projections?which=", "no-such-page")


def test_the_first_visitor_sees_nothing_wrong(page: Page, fresh_url: str) -> None:
    page.add_init_script(WATCH)
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    boxes = []
    for path in PATHS:
        page.goto(f"{fresh_url}/{path}")
        seen = settled(page).evaluate("window.seen")
        assert seen["looks"] > 0
        assert seen["opacities"] == ["0"], path
        assert page.evaluate(STYLE) == [1, "1", True], path
        boxes.append(seen["boxes"] > 0)
    assert boxes == [False, False, True], "only of a page that there is not"
    kept = {
        answer.url: answer.headers["cache-control"] for answer in answers if "plotly" in answer.url
    }
    assert list(kept) == [f"{fresh_url}/{PLOTLY_URL}"], "from this server"
    assert "immutable" in kept[f"{fresh_url}/{PLOTLY_URL}"], "its URL names the version"
    for site in ("http://evil.example", "null"):
        assert refused(fresh_url, site), "and nobody is asked about it, as the log tells"


def refused(app_url: str, site: str) -> bool:
    """Whether the server refuses a page of another site that opens its WebSocket."""
    host, port = app_url.removeprefix("http://").split(":")
    asked = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: {site}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(asked.encode())
        return b" 403 " in line.recv(1000)
