"""Names of Streamlit that are not public are imported by one module."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.ui.app import ROOT

# Documented for annotations: https://docs.streamlit.io/develop/api-reference
PUBLIC = {"streamlit", "streamlit.typing", "streamlit.delta_generator"}


def imported(file: Path) -> set[str]:
    """The modules that a file imports from."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module))
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return found


def test_one_module_imports_what_is_not_public() -> None:
    files = [
        ROOT / "app.py",
        *(ROOT / "attention_ui").rglob("*.py"),
        *(ROOT / "pages").rglob("*.py"),
    ]
    private = {
        file.name
        for file in files
        if {name for name in imported(file) if name.startswith("streamlit")} - PUBLIC
    }
    assert private == {"streamlit_private.py"}


def test_no_file_name_of_a_bundle_is_looked_up() -> None:
    for folder in ("attention_ui", "assets"):
        for file in (ROOT / folder).rglob("*.[pj][ys]"):
            assert "PlotlyChart" not in file.read_text(encoding="utf-8"), file
