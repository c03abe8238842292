"""Inside a package imports run one way, too: no module imports one above it, and an `__init__`
file only re-exports.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.test_imports import imported_names

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("attention_core", "attention_lab", "attention_viz", "attention_ui")
# The files that a reader of the engine opens first, in the order in which they are understood.
ENGINE = ("formulas", "masks", "projections", "steps", "trace", "attention", "fast_heads")


def modules_of(package: str) -> dict[str, Path]:
    """The modules of a package by their dotted names."""
    files = sorted((ROOT / package).rglob("*.py"))
    return {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files}


def module_imports(package: str) -> dict[str, set[str]]:
    """What every module imports from its own package; `__init__` files, which only re-export,
    count for nobody.
    """
    modules = modules_of(package)
    found: dict[str, set[str]] = {}
    for name, file in modules.items():
        if name.endswith("__init__"):
            continue
        source = file.read_text(encoding="utf-8")
        names = imported_names(source, name.rpartition(".")[0])
        found[name] = {m for n in names for m in (n, n.rpartition(".")[0]) if m in modules}
    return found


def rooms(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same arrows between the folders of a package; a file in its root is a room of its own."""

    def room(module: str) -> str:
        return ".".join(module.split(".")[:2])

    found: dict[str, set[str]] = {}
    for module, others in imports.items():
        found.setdefault(room(module), set()).update(
            room(o) for o in others if room(o) != room(module)
        )
    return found


def circle(imports: dict[str, set[str]]) -> list[str]:
    """A circle of imports, or nothing."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def statements_beside_imports(source: str) -> Iterable[str]:
    """The statements of an `__init__` file that are neither its docstring, an import nor
    `__all__`.
    """
    for node in ast.parse(source).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_all = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        if not (is_docstring or is_all or isinstance(node, (ast.Import, ast.ImportFrom))):
            yield ast.unparse(node)


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_do_not_import_in_a_circle(package: str) -> None:
    assert circle(module_imports(package)) == []


@pytest.mark.parametrize("package", ["attention_core", "attention_lab"])
def test_folders_do_not_import_in_a_circle(package: str) -> None:
    assert circle(rooms(module_imports(package))) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_init_files_only_re_export(package: str) -> None:
    files = [file for name, file in modules_of(package).items() if name.endswith("__init__")]
    found = {
        str(file): list(statements_beside_imports(file.read_text(encoding="utf-8")))
        for file in files
    }
    assert {file: statements for file, statements in found.items() if statements} == {}


def test_the_engine_is_one_folder() -> None:
    modules = modules_of("attention_core")
    assert all(name.count(".") == 1 for name in modules)
    assert {f"attention_core.{name}" for name in ENGINE} <= set(modules)


def test_the_engine_loads_numpy_alone() -> None:
    code = (
        "import sys, numpy.random, numpy.linalg; before = {m.split('.')[0] for m in"
        " sys.modules};import attention_core;print(*sorted({m.split('.')[0] for m in sys.modules} -"
        " before - set(sys.stdlib_module_names)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["attention_core"]


def test_a_circle_is_found() -> None:
    imports = {"p.a.x": {"p.b.y"}, "p.b.y": set(), "p.b.z": {"p.a.x"}}
    assert circle(imports) == []
    assert set(circle(rooms(imports))) == {"p.a", "p.b"}
    assert list(
        statements_beside_imports('"""Doc."""\nfrom .a import b\n__all__ = ["b"]\nx = 1')
    ) == ["x = 1"]
