"""The unit tests of the board's JavaScript: always in Chromium, and under Node where there is
one.
"""

from __future__ import annotations

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
    folder = ROOT / "tests" / "js"
    names = sorted(path.name for kind in ("test", "page") for path in folder.glob(f"*.{kind}.js"))
    page.evaluate(
        "async urls => { for (const url of urls) await import(url); await boardTests.done; }",
        [f"{files}/tests/js/{name}" for name in names],
    )
    passed, failed = page.evaluate("[boardTests.passed, boardTests.failed]")
    page.close()
    assert not failed, "\n".join(failed)
    assert len(passed) > 50


@pytest.mark.skipif(
    shutil.which("node") is None, reason="no Node on this machine: Chromium runs the same tests"
)
@pytest.mark.every_situation
def test_under_node() -> None:
    node = str(shutil.which("node"))
    done = subprocess.run(
        [node, "--test", "tests/js/"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
