"""The unit tests of the board's JavaScript: always in Chromium, and under Node where there is
one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.browser
def test_in_chromium(context: BrowserContext, files: str) -> None:
    page = context.new_page()
    page.goto(f"{files}/tests/js/")
    page.evaluate(
        "async url => { await import(url); await boardTests.done; }",
        f"{files}/tests/js/all.js",
    )
    passed, failed = page.evaluate("[boardTests.passed, boardTests.failed]")
    page.close()
    assert failed == []
    assert len(passed) > 50


def test_no_test_is_left_out() -> None:
    folder = ROOT / "tests" / "js"
    files = {path.name for kind in ("test", "page") for path in folder.glob(f"*.{kind}.js")}
    assert files == set(
        re.findall(r'import "\./(.+)";', (folder / "all.js").read_text(encoding="utf-8"))
    )


@pytest.mark.skipif(
    shutil.which("node") is None, reason="no Node on this machine: Chromium runs the same tests"
)
def test_under_node() -> None:
    node = str(shutil.which("node"))
    done = subprocess.run(
        [node, "--test", "tests/js/"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
