"""The few rules that keep the house: imports run one way and in no circle."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import attention_lab
from attention_core import STEPS
from attention_core.rules import RULES
from attention_lab.export.torch_code import TORCH_LINES
from attention_lab.labs.backward import GRADIENT_TEXTS
from attention_lab.labs.gradients import BACKWARD
from attention_lab.rounding import MAGNITUDES

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("attention_core", "attention_lab", "attention_viz", "attention_ui")
# What the files of a layer may import besides the standard library.
ALLOWED = {
    "attention_core": {"attention_core", "numpy"},
    "attention_lab": {"attention_lab", "attention_core", "numpy", "tokenizers"},
    "attention_viz": {
        *("attention_viz", "attention_lab", "attention_core"),
        *("numpy", "pandas", "latex2mathml", "segno", "anywidget", "traitlets"),
    },
    "attention_ui": {*PACKAGES, "streamlit", "starlette", "uvicorn"},
    "pages": {*PACKAGES, "streamlit"},
    "app.py": {"attention_ui", "streamlit"},
}
MOST_LINES = 400


def files_of(layer: str) -> list[Path]:
    """The Python files of a layer, which may be one file."""
    path = ROOT / layer
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imported_names(source: str, package: str) -> Iterator[str]:
    """Every imported name in full, also what is imported for types alone; `package` is the dotted
    folder of the file.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            prefix = [*(above if node.level else []), *([node.module] if node.module else [])]
            yield from (".".join([*prefix, alias.name]) for alias in node.names)


def package_of(file: Path) -> str:
    """The dotted folder of a file."""
    return ".".join(file.relative_to(ROOT).parent.parts)


def offences(layer: str, source: str, package: str) -> list[str]:
    """The imports of one file that its layer does not allow."""
    known = ALLOWED[layer] | sys.stdlib_module_names
    return [name for name in imported_names(source, package) if name.split(".")[0] not in known]


def module_imports(package: str) -> dict[str, set[str]]:
    """What every module imports from its own package; `__init__` files only re-export."""
    files = {".".join(f.relative_to(ROOT).with_suffix("").parts): f for f in files_of(package)}
    return {
        name: {
            module
            for found in imported_names(file.read_text(encoding="utf-8"), package_of(file))
            for module in (found, found.rpartition(".")[0])
            if module in files
        }
        for name, file in files.items()
        if not name.endswith("__init__")
    }


def folders(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same between the folders of a package; a file in its root is a folder of its own."""
    found: dict[str, set[str]] = {}
    for module, others in imports.items():
        own = ".".join(module.split(".")[:2])
        rooms = {".".join(other.split(".")[:2]) for other in others}
        found.setdefault(own, set()).update(rooms - {own})
    return found


def circle(imports: dict[str, set[str]]) -> list[str]:
    """A circle of imports, or nothing."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("layer", ALLOWED)
def test_each_layer_imports_only_what_lies_below_it(layer: str) -> None:
    found = {
        str(file): bad
        for file in files_of(layer)
        if (bad := offences(layer, file.read_text(encoding="utf-8"), package_of(file)))
    }
    assert found == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_do_not_import_in_a_circle(package: str) -> None:
    assert circle(module_imports(package)) == []


@pytest.mark.parametrize("package", ["attention_core", "attention_lab"])
def test_folders_do_not_import_in_a_circle(package: str) -> None:
    assert circle(folders(module_imports(package))) == []


def test_a_forbidden_import_and_a_circle_are_found() -> None:
    source = "import numpy, plotly\ndef f():\n    from ..attention_ui import frame\nfrom . import x"
    source += "\nif TYPE_CHECKING:\n    import pandas"
    found = {"plotly", "pandas", "attention_ui.frame"}
    assert set(offences("attention_core", source, "attention_core")) == found
    imports = {"p.a.x": {"p.b.y"}, "p.b.y": set(), "p.b.z": {"p.a.x"}}
    assert circle(imports) == []
    assert set(circle(folders(imports))) == {"p.a", "p.b"}


def test_a_name_at_the_root_is_the_same_to_python_and_to_type_checkers() -> None:
    tree = ast.parse((ROOT / "attention_lab" / "__init__.py").read_text(encoding="utf-8"))
    for_types = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    assert for_types == attention_lab._MODULES
    assert all(getattr(attention_lab, name).__name__ == name for name in attention_lab.__all__)
    with pytest.raises(AttributeError, match="no attribute 'ablate'"):
        _ = attention_lab.ablate


def test_every_page_lies_in_the_folder_of_its_section() -> None:
    # Streamlit takes a script directly in pages/, or a folder of that name beside the script that
    # it runs, for an app of its older kind.
    assert not list((ROOT / "pages").glob("*.py"))
    assert not (ROOT / "attention_ui" / "pages").exists()


def test_no_file_is_too_long() -> None:
    folders = (*PACKAGES, "pages", "assets", "tests", "benchmarks", "scripts")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.*")]
    files = [file for file in files if file.suffix in (".py", ".js", ".css")]
    assert [f for f in files if len(f.read_text(encoding="utf-8").splitlines()) > MOST_LINES] == []


def test_the_tables_of_the_steps_have_a_row_for_each() -> None:
    for table in (RULES, BACKWARD, GRADIENT_TEXTS, MAGNITUDES, TORCH_LINES):
        assert list(table) == list(STEPS)
