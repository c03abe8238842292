"""One name means one thing: no two modules give a public name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("attention_core", "attention_lab", "attention_viz", "attention_ui", "pages")
# A step has a function of its name in each of these modules: its formula, its gradient, its rule,
# how large its numbers may be. Whoever uses one writes the module's name before it.
PER_STEP = {
    "attention_core/formulas.py",
    "attention_core/gradients.py",
    "attention_core/magnitudes.py",
    "attention_core/rules.py",
}


def public_names(source: str) -> set[str]:
    """The functions, classes and constants that a module defines for others.

    >>> sorted(public_names("A = 1; _B = 2; b = 3\\ndef f(): pass\\nclass C: pass"))
    ['A', 'C', 'f']
    """
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {one.id for one in targets if isinstance(one, ast.Name) and one.id.isupper()}
    return {name for name in names if not name.startswith("_")}


def test_no_two_modules_give_one_name() -> None:
    """A reader who finds a name once knows what it means everywhere."""
    homes = defaultdict(set)
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            for name in public_names(file.read_text(encoding="utf-8")):
                homes[name].add(file.relative_to(ROOT).as_posix())
    assert len(homes) > 1000
    assert {
        name: sorted(files)
        for name, files in homes.items()
        if len(files) > 1 and not files <= PER_STEP
    } == {}
