"""The app as a wheel in an environment of its own, started by its command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, answers, free_port
from tests.browser.driving import settled

pytestmark = pytest.mark.every_situation

PAGES = ("overview", "scores", "all-heads", "trained-heads", "practice")


def test_an_installed_app_shows_its_pages(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    install = ["-m", "pip", "install", "--quiet", str(ROOT / "weights"), f"{ROOT}[app]"]
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    subprocess.run([str(folder / "python"), *install], cwd=tmp_path, check=True)
    port = free_port()
    options = ["--server.headless", "true", "--server.port", str(port)]
    with subprocess.Popen([str(folder / "attention-lab"), *options], cwd=tmp_path) as server:
        try:
            assert answers(server, f"http://localhost:{port}")
            for path in PAGES:
                page.goto(f"http://localhost:{port}/{path}")
                expect(settled(page).get_by_test_id("stException")).to_have_count(0)
                assert "Attention Lab" in page.title()
        finally:
            server.terminate()
