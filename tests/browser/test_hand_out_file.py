"""A step as one file that opens from the disk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from attention_lab.scenario import trace_of
from attention_viz import story
from attention_viz.handout import handout
from attention_viz.payload import Stage
from attention_viz.scene import coloured_scene
from tests.browser.test_board import SCENARIO, expect_cell

pytestmark = pytest.mark.browser


def test_a_step_is_read_from_the_disk_without_a_network(
    context: BrowserContext, tmp_path: Path
) -> None:
    trace = trace_of(SCENARIO)
    scene = coloured_scene(story.scores_board(Stage(trace), (1, 3, 2)), "both")
    file = tmp_path / "scores.html"
    file.write_text(
        handout(scene, "Scores", "One </script> sentence.", "scores = q @ k.T", "“a”"),
        encoding="utf-8",
    )
    browser: Browser | None = context.browser
    assert browser is not None
    alone = browser.new_context(offline=True)
    page, requests, faults = alone.new_page(), [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console", lambda message: faults.append(message.text) if message.type == "error" else None
    )
    page.goto(file.as_uri())
    expect_cell(page, trace, "scores", (0, 1, 3, 2))
    assert page.locator("code").evaluate("code => code.getBoundingClientRect().top") > (
        page.locator("section.board").evaluate("board => board.getBoundingClientRect().bottom")
    )
    page.locator('[data-panel="scores result"]').focus()
    page.keyboard.press("ArrowUp")
    expect_cell(page, trace, "scores", (0, 1, 2, 2))
    page.get_by_role("button", name=re.compile("^Play")).click()
    page.wait_for_timeout(600)
    page.locator(".save summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the board as a picture (PNG)").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    assert download.value.suggested_filename == "scores.png"
    kept = download.value.url  # made in the page itself
    assert kept.startswith("blob:")
    assert ([url for url in requests if url != kept], faults) == ([file.as_uri()], [])
    alone.close()
