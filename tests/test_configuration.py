"""The settings the app relies on: Streamlit's configuration, its theme, the pinned
requirements, a clean repository.
"""

import ast
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from streamlit import config

from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES
from attention_ui import own_numbers
from attention_ui.trained import uploaded_heads
from scripts.planted_bugs import BUGS
from tests.viz.test_theme import contrast

ROOT = Path(__file__).resolve().parent.parent
SETTINGS: dict[str, Any] = tomllib.loads(
    (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
)

EXPECTED = {
    "runner.postScriptGC": False,
    "global.minCachedMessageSize": 1e12,
    "browser.gatherUsageStats": False,
    "browser.serverAddress": "localhost",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "global.disableWidgetStateDuplicationWarning": True,
    "server.address": "localhost",
    "server.enableAgentApi": False,
    "server.showEmailPrompt": False,
}

TEXT_COLOURS = ["primaryColor", "textColor", "linkColor"] + [
    f"{name}{part}"
    for name in ("blue", "red", "green", "violet", "gray")
    for part in ("Color", "TextColor")
]

BUILD_PRODUCTS = re.compile(
    r"(^|/)(\.?venv|__pycache__|build|dist|node_modules|htmlcov|\.(mypy|pytest|ruff)_cache|\.hypothesis|[^/]+\.egg-info)/"
    r"|\.(py[cod]|so|whl|log|orig|rej)$|(^|/)(\.coverage|\.DS_Store|Thumbs\.db)$"
)


def flatten(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The options of a TOML table under their dotted names."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


OPTIONS = dict(flatten(SETTINGS))


@pytest.mark.parametrize("option", OPTIONS)
def test_streamlit_knows_every_option(option: str) -> None:
    assert option in config.get_config_options()


def test_the_settings_the_app_relies_on() -> None:
    assert OPTIONS | EXPECTED == OPTIONS


def test_the_server_takes_every_file_that_a_page_asks_for() -> None:
    promised = max(uploaded_heads.MAX_UPLOAD_MB, own_numbers.MAX_STATE_MB)
    assert promised <= OPTIONS["server.maxUploadSize"]
    assert OPTIONS["server.maxUploadSize"] * 2**20 >= MAX_WEIGHT_BYTES


def test_every_uploader_says_how_much_it_takes() -> None:
    """A place for a file without a bound of its own would promise what the server is set to."""
    calls = [
        node
        for path in (*ROOT.glob("attention_ui/**/*.py"), *ROOT.glob("pages/**/*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("file_uploader")
    ]
    said = [word.value for call in calls for word in call.keywords if word.arg == "max_upload_size"]
    assert len(said) == len(calls) > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", TEXT_COLOURS)
def test_colours_can_be_read(scheme: str, name: str) -> None:
    theme = SETTINGS["theme"][scheme]
    assert contrast(theme[name], theme["backgroundColor"]) >= 4.5
    assert contrast(theme[name], theme["secondaryBackgroundColor"]) >= 4.5


def test_streamlit_is_pinned_to_what_is_installed() -> None:
    """Streamlit is pinned exactly, because a hidden option is relied on, and the tests run on
    that very version.
    """
    assert f"streamlit=={version('streamlit')}" in pins("requirements.txt")


def test_each_requirement_is_pinned_and_has_its_reason() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    bound, *lines = [line for line in text.splitlines() if line.strip()][1:]
    assert bound == "-c constraints.txt"
    for above, line in pairwise(lines):
        assert re.fullmatch(r"# .{10,}|[a-z0-9-]+==[0-9.]+(; [^;]+)?", line)
        assert above[0] == "#" or line[0] == "#" or above.split("=")[0] == line.split("=")[0]


def test_the_app_needs_six_packages_and_a_faster_loop() -> None:
    needed = {"streamlit", "numpy", "plotly", "pandas", "latex2mathml", "segno"}
    assert {Requirement(line).name for line in pins("requirements.txt")} == {*needed, "uvloop"}


def test_what_the_requirements_bring_along_is_pinned_with_sums() -> None:
    locked, bound = pins("requirements.lock"), pins("constraints.txt")
    assert locked == bound
    assert {*map(name_and_version, pins("requirements.txt"))} <= {*map(name_and_version, bound)}
    for line in bound:
        one = Requirement(line)
        if one.marker is None or one.marker.evaluate():
            assert one.specifier.contains(version(one.name), prereleases=True)
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert lock.count("--hash=sha256:") > 2 * len(locked)
    assert len(re.findall(r"\\\n +--hash", lock)) == lock.count("--hash")


def test_what_the_tests_need_is_pinned_with_sums() -> None:
    """A clean clone installs this lock, which holds what the app needs in the same versions."""
    locked = pins("requirements-dev.lock")
    asked = [Requirement(line) for line in pins("requirements.txt") + pins("requirements-dev.txt")]
    known = {(one.name, str(one.specifier)) for one in map(Requirement, locked)}
    assert {(one.name.lower(), str(one.specifier)) for one in asked} <= known
    in_app = {*map(name_and_version, pins("constraints.txt"))}
    assert in_app <= {*map(name_and_version, locked)}
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    assert len(re.findall(r"\\\n +--hash", lock)) == lock.count("--hash=sha256:") >= len(locked)
    assert all("--hash" in part for part in re.split(r"\n(?=[a-z0-9])", lock)[1:])
    for file in ("Makefile", "scripts/check.py"):
        assert "requirements-dev.lock" in (ROOT / file).read_text(encoding="utf-8")


def pins(name: str) -> list[str]:
    """The pinned packages of a file, without sums."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line.rstrip(" \\") for line in lines if "==" in line and line[0] not in "#- "]


def name_and_version(line: str) -> str:
    """A pin without the systems for which it holds."""
    return line.split(";")[0].strip()


def test_every_planted_bug_finds_its_place() -> None:
    for bug in BUGS:
        text = (ROOT / bug.file).read_text(encoding="utf-8")
        assert bug.planted(text) != text
        assert (ROOT / bug.tests).exists()


def test_the_repository_holds_no_build_products() -> None:
    """No cache, bytecode, environment or log is among the files that git tracks or would add."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git clone")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [path for path in listing.stdout.splitlines() if BUILD_PRODUCTS.search(path)] == []
