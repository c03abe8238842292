"""Imports run in one direction: numpy, attention_core, attention_viz, attention_ui, pages and
app.py.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# What the files of a layer may import besides the standard library; a name stands for everything
# below it too.
ALLOWED = {
    "attention_core": ("attention_core", "numpy"),
    "attention_lab": ("attention_lab", "attention_core", "numpy"),
    "attention_viz": (
        "attention_viz",
        "attention_lab",
        "attention_core",
        "numpy",
        "pandas",
        "latex2mathml",
        "segno",
    ),
    "attention_ui": (
        "attention_ui",
        "attention_viz",
        "attention_lab",
        "attention_core",
        "streamlit",
        "starlette",
        "PIL",
    ),
    "pages": ("attention_ui", "attention_viz", "attention_lab", "attention_core", "streamlit"),
    "app.py": ("attention_ui", "streamlit"),
}

LOAD_CORE = """
import importlib, pkgutil, sys
import attention_core
for module in pkgutil.walk_packages(attention_core.__path__, "attention_core."):
    importlib.import_module(module.name)
print(*sorted({"streamlit", "plotly", "pandas", "PIL"} & set(sys.modules)))
"""


def dynamic_import(call: ast.Call) -> str | None:
    """The module named in `import_module("x")` or `__import__("x")`."""
    name = (
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    )
    if name not in {"import_module", "__import__"} or not call.args:
        return None
    target = call.args[0]
    return (
        target.value
        if isinstance(target, ast.Constant) and isinstance(target.value, str)
        else "a computed name"
    )


def imported_names(source: str, package: str) -> Iterator[str]:
    """Every imported name in full; `package` is the dotted folder of the file, for relative
    imports.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = (
                package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            )
            prefix = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{prefix}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and (name := dynamic_import(node)):
            yield name


def offences(layer: str, source: str, package: str) -> list[str]:
    """The imports of one file that its layer does not allow."""
    allowed = ALLOWED[layer]
    return [
        name
        for name in imported_names(source, package)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(name == prefix or name.startswith(prefix + ".") for prefix in allowed)
    ]


def files_of(layer: str) -> list[Path]:
    """The Python files of a layer; none when it does not exist."""
    path = ROOT / layer
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@pytest.mark.parametrize("layer", ALLOWED)
def test_each_layer_imports_only_what_lies_below_it(layer: str) -> None:
    found = {}
    for file in files_of(layer):
        relative = file.relative_to(ROOT)
        package = ".".join(relative.parent.parts)
        if bad := offences(layer, file.read_text(encoding="utf-8"), package):
            found[str(relative)] = bad
    assert not found


@pytest.mark.parametrize(
    ("layer", "source", "offence"),
    [
        ("attention_core", "import numpy as np, plotly", "plotly"),
        ("attention_core", "def f():\n    from pandas import DataFrame", "pandas.DataFrame"),
        ("attention_core", "from attention_viz import theme", "attention_viz.theme"),
        ("attention_core", "from ..attention_ui import frame", "attention_ui.frame"),
        ("attention_core", "import importlib\nimportlib.import_module('streamlit')", "streamlit"),
        ("attention_core", "name = 'pan' + 'das'\n__import__(name)", "a computed name"),
        ("attention_core", "from PIL import Image", "PIL.Image"),
        ("attention_viz", "import streamlit as st", "streamlit"),
        ("attention_viz", "import plotly.express as px", "plotly.express"),
        ("attention_viz", "from plotly import subplots", "plotly.subplots"),
        ("attention_viz", "import pandas_extra", "pandas_extra"),
        ("attention_ui", "import pages.story.overview", "pages.story.overview"),
        ("attention_ui", "import plotly.graph_objects as go", "plotly.graph_objects"),
        ("pages", "from pages.story import scores", "pages.story.scores"),
        ("pages", "from PIL import Image", "PIL.Image"),
        ("pages", "from . import scores", "pages.story.scores"),
        ("app.py", "from attention_core import attend", "attention_core.attend"),
    ],
)
def test_the_checker_sees_a_forbidden_import(layer: str, source: str, offence: str) -> None:
    package = "pages.story" if layer == "pages" else layer.removesuffix("app.py")
    assert offences(layer, source, package) == [offence]


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        (
            "attention_core",
            "import math\nimport numpy.typing\nfrom .formulas import softmax\nfrom . import masks",
        ),
        ("attention_viz", "import pandas as pd\nfrom pandas import DataFrame"),
        (
            "attention_ui",
            (
                "import streamlit as st\nfrom attention_viz.theme import PALETTES\nfrom .urls"
                " import parse"
            ),
        ),
        ("pages", "import streamlit as st\nfrom attention_ui.frame import current_trace"),
        ("app.py", "import streamlit as st\nfrom attention_ui import registry"),
    ],
)
def test_the_checker_allows_what_the_table_allows(layer: str, source: str) -> None:
    assert (
        offences(layer, source, "pages.story" if layer == "pages" else layer.removesuffix("app.py"))
        == []
    )


def test_every_page_lies_in_the_folder_of_its_section() -> None:
    """No script lies directly in pages/, and no folder `pages/` beside the script that Streamlit
    runs: Streamlit would take it for an app of its older kind.
    """
    assert not list((ROOT / "pages").glob("*.py"))
    assert not (ROOT / "attention_ui" / "pages").exists()


def test_the_engine_loads_no_drawing_library() -> None:
    if not files_of("attention_core"):
        return
    run = subprocess.run(
        [sys.executable, "-c", LOAD_CORE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []


BENCHMARKS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_runs_without_options(name: str) -> None:
    body = ast.parse((ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8")).body
    (main,) = (part for part in body if isinstance(part, ast.FunctionDef) and part.name == "main")
    assert len(main.args.args) == len(main.args.defaults)
