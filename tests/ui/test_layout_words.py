"""In the steps a row, a column and heads side by side are named by the notation alone, because
boards lie transposed where tokens are columns.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core.wording import Layout
from attention_lab.notation.notation import LAYOUTS
from attention_lab.page_list import PAGES
from attention_lab.user_data.painted_masks import mask_to_text
from tests.ui.app import ROOT, opened, opened_folds, scenes

STORY = [page.url_path for page in PAGES if page.section == "story"]
PLACED = re.compile(
    r"\b(rows?|columns?|side by side|one (below|under|above) (the |an)other)\b", re.I
)
MARKED = Layout("⟨line⟩", "⟨across⟩", "⟨joined⟩")
HIDDEN = np.tril(np.ones((5, 5), bool), -1)  # the first query sees no key
# Choices under which the steps say different things.
STATES: dict[str, dict[str, Any]] = {
    "plain": {"head": 1, "query": 2, "key": 3, "feature": 1},
    "wide": {"whole": "true", "d_model": 144, "n_heads": 2, "d_o": 70, "feature": 2, "query": 1},
    "joined": {"output_matrix": "none", "residual": "true", "which": "values", "feature": 9},
    "nothing seen": {"mask": "painted", "painted": mask_to_text(HIDDEN), "n_tokens": 5, "query": 0},
    "by hand": {"weights": "by hand", "d_model": 8, "n_heads": 2, "which": "keys", "hide": "true"},
    "one head": {"n_heads": 1, "weights": "weightless", "mask": "window", "n_tokens": 16},
    "modern": {"qk_norm": "true", "rotary": "neighbours", "sink": "true", "softcap": "true"},
    "batch": {"batch": "It slept\nwhy", "sentence": 1, "text": "שלום עולם", "mask": "padding"},
    "language model": {"weights": "language model", "guess": "true", "pr_mode": "homework"},
}
# What of a scene is no word, and elements of a page that hold words.
NO_WORDS = ("role", "id", "arrange", "array", "data")
ELEMENTS = (
    *("markdown", "caption", "info", "warning", "success", "header", "button", "expander"),
    *("selectbox", "toggle", "number_input", "text_input", "button_group"),
)
# Where sentences of steps are written. Lessons bring their notation with them.
WRITTEN = (
    *("attention_viz/story/*.py", "attention_viz/practice*.py"),
    *("attention_viz/overview.py", "attention_viz/names.py", "attention_viz/arithmetic.py"),
    *("attention_viz/scene.py", "attention_viz/sentence.py", "attention_viz/masks/[rt]e*.py"),
    *("attention_core/steps.py", "attention_core/derivation.py", "attention_lab/guesses/*.py"),
    "assets/data/guesses.json",
)


def of_scene(part: Any) -> Iterator[str]:
    """Every text of a scene."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        yield from chain.from_iterable(of_scene(part[key]) for key in part.keys() - {*NO_WORDS})
    elif isinstance(part, list | tuple):
        yield from chain.from_iterable(map(of_scene, part))


def said_by(app: AppTest) -> list[str]:
    """What the boards of a page say, and its own words without targets of links and code."""
    shown = [element for kind in ELEMENTS for element in app.main.get(kind)]
    told = (getattr(one, name, "") for one in shown for name in ("value", "label", "help"))
    words = [re.sub(r"\]\([^)]*\)|`[^`]*`", "]", str(text)) for text in told]
    return [*of_scene(scenes(app)), *words]


@pytest.mark.parametrize("state", STATES)
def test_a_step_names_rows_and_columns_as_the_notation_does(
    state: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """In the gate each state on a third of the steps, so that each step is in three states."""
    every = request.config.getoption("every_situation")
    steps = STORY if every else STORY[[*STATES].index(state) % 3 :: 3]
    monkeypatch.setitem(LAYOUTS, "column", MARKED)
    marked = 0
    for path in steps:
        app = opened(path, notation="columns", **STATES[state])
        app.session_state["closer"] = "terms.code.numbers.files"
        texts = said_by(opened_folds(app))
        assert not app.exception
        assert [text for text in texts if PLACED.search(text)] == []
        marked += any(word in text for text in texts for word in MARKED)
    assert marked > len(steps) // 2


def of_file(path: Path) -> Iterator[str]:
    """The sentences that a file holds, without docstrings and without names of a notation's words
    in braces.
    """
    if path.suffix == ".json":
        found = [*of_scene(json.loads(path.read_text(encoding="utf-8")))]
    else:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        about = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        nodes = (node for node in ast.walk(tree) if node not in about)
        found = [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
    return (re.sub(r"\{\w+\}", "", text) for text in found if " " in text)


def test_no_sentence_of_a_step_names_them_by_itself() -> None:
    files = sorted(path for pattern in WRITTEN for path in ROOT.glob(pattern))
    assert len(files) > len(WRITTEN)
    assert [
        (path.name, text) for path in files for text in of_file(path) if PLACED.search(text)
    ] == []


def test_the_two_notations_exchange_rows_and_columns() -> None:
    rows, columns = LAYOUTS["row"], LAYOUTS["column"]
    assert (rows.row, rows.column) == (columns.column, columns.row)
    assert PLACED.search(rows.side_by_side)
    assert PLACED.search(columns.side_by_side)
    assert rows.side_by_side != columns.side_by_side
