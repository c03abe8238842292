"""The few rules that keep the house: imports run one way and in no circle, doors are listed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import attention_core
import attention_lab
from attention_core import STEPS
from attention_lab.export.torch_code import TORCH_LINES
from attention_lab.labs.backward import GRADIENT_TEXTS
from attention_lab.labs.gradients import BACKWARD
from attention_lab.rounding import MAGNITUDES
from tests.lab import test_refusals

ROOT = Path(__file__).resolve().parent.parent
DOORS = (ROOT / "docs" / "doors.md").read_text(encoding="utf-8")
PACKAGES = ("attention_core", "attention_lab", "attention_viz", "attention_ui")
# What the files of a layer may import besides the standard library.
ALLOWED = {
    "attention_core": {"attention_core", "numpy"},
    "attention_lab": {"attention_lab", "attention_core", "numpy"},
    "attention_viz": {
        *("attention_viz", "attention_lab", "attention_core"),
        *("numpy", "pandas", "latex2mathml", "segno", "anywidget", "traitlets"),
    },
    "attention_ui": {*PACKAGES, "streamlit", "starlette", "PIL"},
    "pages": {*PACKAGES, "streamlit"},
    "app.py": {"attention_ui", "streamlit"},
}
MOST_LINES = 400
# The modules that need pandas, and the one that needs anywidget.
NEED_MORE = ("diagonal.geometry", "figure_table", "tables", "widget")
# Records and tables, which check nothing.
NO_DOORS = {"AXES", "STEPS", "Derivation", "HeadTrace", "Step", "Trace"}


def files_of(layer: str) -> list[Path]:
    """The Python files of a layer, which may be one file."""
    path = ROOT / layer
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imported_names(source: str, package: str) -> Iterator[str]:
    """Every imported name in full; `package` is the dotted folder of the file. What is imported
    for types alone does not count.
    """
    tree = ast.parse(source)
    for_types = {
        below
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for below in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
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
    found = ["plotly", "attention_ui.frame"]
    assert offences("attention_core", source, "attention_core") == found
    imports = {"p.a.x": {"p.b.y"}, "p.b.y": set(), "p.b.z": {"p.a.x"}}
    assert circle(imports) == []
    assert set(circle(folders(imports))) == {"p.a", "p.b"}


def test_the_engine_loads_numpy_alone() -> None:
    code = (
        "import sys, numpy.random, numpy.linalg; before = {m.split('.')[0] for m in sys.modules}\n"
        "import attention_core, pkgutil, importlib\n"
        "for module in pkgutil.iter_modules(attention_core.__path__, 'attention_core.'):\n"
        "    importlib.import_module(module.name)\n"
        "print(*{m.split('.')[0] for m in sys.modules} - before - set(sys.stdlib_module_names))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["attention_core"]


def test_the_roots_load_nothing_until_a_name_is_asked_for() -> None:
    code = (
        "import sys, numpy, attention_lab\n"
        "print(*sorted(m for m in sys.modules if m.startswith('attention')))\n"
        "assert attention_lab.ablated_output and 'tokenize' in dir(attention_lab)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["attention_lab"]


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


def test_pictures_need_neither_pandas_nor_plotly_nor_streamlit() -> None:
    # Tables alone need pandas; a browser that runs the rest has NumPy and no more.
    code = (
        "import sys, pkgutil, importlib\n"
        "sys.modules.update(dict.fromkeys(('pandas', 'plotly', 'streamlit', 'anywidget')))\n"
        "import attention_lab, attention_viz\n"
        "for package in (attention_lab, attention_viz):\n"
        "    for one in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        try: importlib.import_module(one.name)\n"
        "        except ImportError: print(one.name)\n"
        "from attention_lab.page_list import strip_pages\n"
        "from attention_viz.story.stages import stage_of\n"
        "from attention_viz.story.story_view import StoryView\n"
        "for page in strip_pages(): assert stage_of(StoryView(), page.url_path)['stage']\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == [f"attention_viz.{name}" for name in NEED_MORE]


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


def found_by(name: str) -> Any:
    """What a dotted name stands for."""
    package, *rest = name.split(".")
    thing: Any = import_module(package)
    for part in rest:
        if not hasattr(thing, part):
            import_module(f"{thing.__name__}.{part}")
        thing = getattr(thing, part)
    return thing


def test_the_docs_list_the_doors() -> None:
    listed = re.findall(r"`(attention_\w+(?:\.\w+)+)`", DOORS)
    assert len(listed) == len(set(listed)) > 30
    assert all(callable(found_by(name)) for name in listed)
    exported = {name for name in attention_core.__all__ if not name.endswith("Error")}
    assert exported - NO_DOORS <= {name.split(".")[1] for name in listed}
    assert {*attention_lab.__all__} <= {part for name in listed for part in name.split(".")}
    tested = {function.__qualname__ for function, _, _ in test_refusals.CASES.values()}
    methods = {name.split(".", 1)[1] for name in listed if name.startswith("attention_core.Trace.")}
    assert methods | {"derive", "embed"} <= tested


def test_the_tables_of_the_steps_have_a_row_for_each() -> None:
    for table in (BACKWARD, GRADIENT_TEXTS, MAGNITUDES, TORCH_LINES):
        assert list(table) == list(STEPS)
