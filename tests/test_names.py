"""One name means one thing: no two modules give a public name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
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


def sentences_with_names(source: str, names: Iterable[str]) -> list[str]:
    """Names of functions that stand among the words of a text.

    >>> sentences_with_names("'the layer has head_habits nothing'", ["head_habits"])
    ['head_habits']
    """
    among_words = re.compile(rf"(?<=[a-z,] )({'|'.join(map(re.escape, names))})(?=[ ,.:;])")
    texts = [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [found for text in texts for found in among_words.findall(text)]


def test_no_sentence_holds_the_name_of_a_function() -> None:
    sources = [
        file.read_text(encoding="utf-8")
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*.py"))
    ]
    names = {name for source in sources for name in public_names(source) if "_" in name}
    # A docstring may name an argument, and PyTorch's function.
    arguments = set(re.findall(r"\b(\w+): ", "".join(sources)))
    names -= arguments | {"scaled_dot_product_attention"}
    functions = sorted(name for name in names if name.islower())
    assert len(functions) > 300
    assert [name for source in sources for name in sentences_with_names(source, functions)] == []
