"""Tables have names: those of a page could not be told apart by a screen reader, nor could
their buttons.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_table_has_a_name() -> None:
    unnamed = []
    for path in [*ROOT.glob("pages/*/*.py"), *ROOT.glob("attention_ui/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                is_table = node.func.attr in ("dataframe", "data_editor")
                if is_table and "alt" not in {word.arg for word in node.keywords}:
                    unnamed.append(f"{path.name}:{node.lineno}")
    assert unnamed == []
