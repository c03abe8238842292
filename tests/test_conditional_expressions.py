"""Prose is not glued together from conditional expressions: pages and pictures state facts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Folders, and how many conditional expressions 1,000 lines of each may have.
MAX_PER_1000_LINES = {
    "pages": 8,
    "pages/diagonal": 8,
    "pages/heads": 8,
    "pages/labs": 8,
    "pages/masks": 8,
    "pages/reference": 8,
    "pages/story": 8,
    "pages/teach": 8,
    "pages/trained": 8,
    "attention_ui": 10,
    "attention_ui/classroom": 15,
    "attention_ui/diagonal": 15,
    "attention_ui/heads": 15,
    "attention_ui/labs": 15,
    "attention_ui/masks": 15,
    "attention_ui/reference": 15,
    "attention_ui/teach": 15,
    "attention_ui/trained": 15,
    "attention_ui/url_state": 8,
    "attention_viz": 8,
    "attention_viz/diagonal": 15,
    "attention_viz/heads": 15,
    "attention_viz/labs": 15,
    "attention_viz/masks": 15,
    "attention_viz/story": 8,
    "attention_viz/trained": 15,
}


def conditional_expressions(source: str) -> int:
    """How many conditional expressions a source has.

    >>> conditional_expressions("word = 'row' if n == 1 else 'rows'")
    1
    """
    return sum(isinstance(node, ast.IfExp) for node in ast.walk(ast.parse(source)))


@pytest.mark.parametrize(("folder", "most"), MAX_PER_1000_LINES.items())
def test_a_folder_has_few_conditional_expressions(folder: str, most: int) -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob("*.py")]
    n_lines = sum(len(source.splitlines()) for source in sources)
    assert n_lines
    assert sum(map(conditional_expressions, sources)) <= most * n_lines / 1000
