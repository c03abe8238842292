"""The board's JavaScript as modules: what lets them be joined into one script, and text stay
text.
"""

from __future__ import annotations

import re

import pytest

from attention_viz.handout import BOARD_FOLDER

MODULES = {file.name: file.read_text("utf-8") for file in sorted(BOARD_FOLDER.glob("*.js"))}
NAMES = re.compile(r"^(?:export )?(?:default )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def test_no_top_level_name_stands_in_two_modules() -> None:
    names = [name for text in MODULES.values() for name in NAMES.findall(text)]
    assert len(names) > 100
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("name", MODULES)
def test_imports_are_of_one_kind(name: str) -> None:
    lines = [
        line for line in MODULES[name].splitlines() if re.search(r"^import\b|\bimport\(", line)
    ]
    assert [
        line for line in lines if not re.fullmatch(r'import \{ [\w, ]+ \} from "\./\w+\.js";', line)
    ] == []


@pytest.mark.parametrize("name", MODULES)
def test_exports_are_of_one_kind(name: str) -> None:
    allowed = r"export (function|const|class) \w+.*" + (
        r"|export default function .*" if name == "component.js" else ""
    )
    lines = [line for line in MODULES[name].splitlines() if line.startswith("export ")]
    assert [line for line in lines if not re.fullmatch(allowed, line)] == []


@pytest.mark.parametrize("name", MODULES)
def test_text_reaches_the_page_as_text(name: str) -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", MODULES[name]
    )


def test_the_documentation_names_every_module() -> None:
    told = (BOARD_FOLDER.parent.parent / "docs" / "board.md").read_text("utf-8")
    assert [name for name in MODULES if f"`{name}`" not in told] == []
