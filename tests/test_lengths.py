"""How long files and functions are: what grows beyond asks for another design."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    "attention_core",
    "attention_lab",
    "attention_viz",
    "attention_ui",
    "pages",
    "assets",
    "tests",
    "benchmarks",
    "scripts",
)
MOST_LINES, MOST_OF_A_PAGE, MOST_OF_A_FUNCTION = 250, 120, 40


def too_long_functions(source: str, most: int = MOST_OF_A_FUNCTION) -> list[str]:
    """The functions of a module that have more lines."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return [node.name for node in nodes if (node.end_lineno or 0) - node.lineno + 1 > most]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_file_is_too_long(folder: str) -> None:
    most = MOST_OF_A_PAGE if folder == "pages" else MOST_LINES
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".js", ".css")]
    assert files
    assert [
        str(path) for path in files if len(path.read_text(encoding="utf-8").splitlines()) > most
    ] == []


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder != "assets"])
def test_no_function_is_too_long(folder: str) -> None:
    found = {
        str(path): too_long_functions(path.read_text(encoding="utf-8"))
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {path: names for path, names in found.items() if names} == {}


def test_a_long_function_is_found() -> None:
    lines = "def f():\n" + "    x = 1\n" * 39
    assert too_long_functions(lines, 40) == []
    assert too_long_functions(lines + "    x = 2\n", 40) == ["f"]
