"""The board's JavaScript as modules: what lets them be joined into one script, and text stay
text.
"""

from __future__ import annotations

import re

import pytest

from attention_viz.handout import BOARD_FOLDER, JS_IMPORT, joined_script

# Each folder imports from itself and from those before it; the entries at the top from all.
FOLDERS = ("scene", "place", "draw", "words", "point", "play", "keep", "board")
MODULES = {
    file.relative_to(BOARD_FOLDER).as_posix(): file.read_text("utf-8")
    for file in sorted(BOARD_FOLDER.rglob("*.js"))
}
NAMES = re.compile(r"^(?:export )?(?:default )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def test_imports_go_one_way() -> None:
    for name, text in MODULES.items():
        file = BOARD_FOLDER / name
        for needed in JS_IMPORT.findall(text):
            other = (file.parent / needed).resolve()
            assert other.is_file(), (name, needed)
            assert FOLDERS.index(other.parent.name) <= FOLDERS.index(file.parent.name), (
                name,
                needed,
            )


def test_no_top_level_name_stands_in_two_modules() -> None:
    names = [name for text in MODULES.values() for name in NAMES.findall(text)]
    assert len(names) > 100
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("entry", ["story.js", "handout.js"])
def test_a_file_gets_the_code_without_what_is_said_about_it(entry: str) -> None:
    script = joined_script(entry)
    assert not re.search(r"^ ?(/\*|\*|//)", script, re.MULTILINE)
    for module in ("scene/scene.js", "place/fit.js", "play/player.js", "board.js"):
        assert {*NAMES.findall(MODULES[module])} <= {*NAMES.findall(script)}


@pytest.mark.parametrize("name", MODULES)
def test_imports_and_exports_are_of_one_kind(name: str) -> None:
    imports = r'import \{ [\w, ]+ \} from "\.[\w./]+\.js";'
    exports = r"export (function|const|class) \w+.*" + (
        r"|export default function .*" if name == "component.js" else ""
    )
    lines = re.findall(r"^(?:import|export)\b.*|.*\bimport\(.*", MODULES[name], re.MULTILINE)
    assert [line for line in lines if not re.fullmatch(f"{imports}|{exports}", line)] == []


@pytest.mark.parametrize("name", MODULES)
def test_text_reaches_the_page_as_text(name: str) -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", MODULES[name]
    )


def test_the_documentation_names_every_module() -> None:
    told = (BOARD_FOLDER.parent.parent / "docs" / "board.md").read_text("utf-8")
    assert [name for name in MODULES if f"`{name.split('/')[-1]}`" not in told] == []
