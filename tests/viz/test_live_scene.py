"""A live board in a notebook: what its pins and edits mean, and the widget as it is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError, Projections, Trace, attend
from attention_lab.focus import Focus
from attention_viz import live_board
from attention_viz.live_scene import checked_pin, edited_trace, pinned_places, widget_script
from attention_viz.notebook import live_scene
from attention_viz.scene import has_cell

ROOT = Path(__file__).resolve().parents[2]
X = np.random.default_rng(0).standard_normal((2, 5, 6))
MEMORY = np.random.default_rng(1).standard_normal((2, 3, 6))
P = Projections.random(6, 3)
TRACE = attend(X, P, tokens=list("abcde"))
CROSSED = attend(X, P, memory=MEMORY)
SCENE = live_scene("queries", TRACE, 1, Focus(0, 0, 0, 0))


def test_a_pin_may_be_beyond_what_was_sent_and_then_the_scene_follows_it() -> None:
    pin = checked_pin(SCENE, {"array": "queries", "index": (0, np.int64(4), 5)})
    assert pin == {"array": "queries", "index": [0, 4, 5]}
    assert not has_cell(SCENE, pin)
    places = pinned_places(SCENE, pin)
    assert places == {"query": 4, "head": 2, "feature": 1}
    assert has_cell(live_scene("queries", TRACE, 1, Focus(key=0, **places)), pin)


@pytest.mark.parametrize(
    "pin",
    [
        *(None, {}, [], "queries", {"array": "queries"}),
        {"array": "scores", "index": [0, 0, 0, 0]},
        *({"array": "queries", "index": index} for index in ([0, 5, 0], [0, -1, 0], [0, 0], "000")),
        *({"array": "queries", "index": index} for index in ([0, 0, 0.5], [0, 0, "0"], 0, None)),
    ],
)
def test_a_pin_that_is_no_cell_is_refused(pin: Any) -> None:
    with pytest.raises(AttentionError, match=r"pin is .* queries \[1, 5, 6\]"):
        checked_pin(SCENE, pin)


def edited(trace: Trace, array: str, *index: int) -> Trace:
    return edited_trace(trace, 1, {"array": array, "index": list(index), "value": 2.5})


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v", "w_o"])
def test_an_edit_of_a_weight_is_in_the_layer_that_follows(name: str) -> None:
    weights = getattr(P, name).copy()
    weights[4, 3] = 2.5
    found = edited(TRACE, name, 4, 3)
    parts = {part: getattr(P, part) for part in ("w_q", "w_k", "w_v", "w_o")} | {name: weights}
    expected = attend(X, Projections(**parts, n_heads=3))
    np.testing.assert_array_equal(found.output, expected.output)
    assert found.tokens == TRACE.tokens


@pytest.mark.parametrize(
    ("trace", "array", "of_x"),
    [(TRACE, "inputs", True), (TRACE, "memory", True), (CROSSED, "memory", False)],
)
def test_an_edit_of_a_sequence_changes_this_one_alone(trace: Trace, array: str, of_x: bool) -> None:
    found = edited(trace, array, 0, 2, 5)
    changed, same = (found.inputs, found.memory) if of_x else (found.memory, found.inputs)
    before = trace.inputs if of_x else trace.memory
    assert np.argwhere(changed != before).tolist() == [[1, 2, 5]]
    assert changed[1, 2, 5] == 2.5
    assert same is changed if trace is TRACE else np.array_equal(same, trace.inputs)


@pytest.mark.parametrize(
    "edit",
    [
        *(None, "w_q", {}, {"array": "scores", "index": [0, 0], "value": 1}),
        *({"array": "w_q", "index": at, "value": 1} for at in ([0, 6], [-1, 0], [0], [0, "1"])),
        *({"array": "w_q", "index": [0, 0], "value": value} for value in ("1", None, np.nan, 1e9)),
    ],
)
def test_an_edit_that_is_none_is_refused(edit: Any) -> None:
    with pytest.raises(AttentionError, match=r"edit|value"):
        edited_trace(TRACE, 0, edit)


def test_the_script_is_one_module_with_its_style() -> None:
    script = widget_script()
    assert not re.search(r"^import ", script, re.MULTILINE)
    assert script.endswith("export default { render };\n")
    assert ".board {" in script.splitlines()[0]


def test_a_live_board_says_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "attention_viz.widget", raising=False)
    with pytest.raises(AttentionError, match=r"anywidget.*\[widget\]"):
        live_board(TRACE)


WIDGET = """
import numpy as np
from attention_core import AttentionError, Projections, attend, derive
from attention_viz import live_board

x = np.random.default_rng(0).normal(size=(5, 6))
board = live_board(attend(x, Projections.random(6, 3)), "queries", query=2)
assert board.pin == {"array": "queries", "index": [0, 2, 0]}
first = board.scene
board.pin = {"array": "queries", "index": [0, 4, 5]}
assert board.scene != first, "a part that was not sent yet"
board.set_state({"pin": {"array": "queries", "index": [0, 1, 0]}})  # as the browser does
assert derive(board.trace, "queries", board.pin["index"]).index == (0, 1, 0)
before = board.scene
board.set_state({"edit": {"array": "w_q", "index": [0, 0], "value": 9}})
assert board.trace.projections.w_q[0, 0] == 9 and board.scene != before
assert board.pin == {"array": "queries", "index": [0, 1, 0]}
for name, value in {"pin": {"array": "queries", "index": [0, 9, 0]}, "trace": x}.items():
    try:
        setattr(board, name, value)
    except AttentionError:
        continue
    raise AssertionError(name)
board.trace = attend(x[:1], Projections.random(6, 3))
assert board.pin["index"][1] == 0
assert "application/vnd.jupyter.widget-view+json" in board._repr_mimebundle_()[0]
"""


@pytest.mark.every_situation
def test_an_installed_widget_hears_pins_and_edits(tmp_path: Path) -> None:
    # anywidget brings IPython and 20 other packages, 70 MB that no other test needs.
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    for arguments in (
        [sys.executable, "-m", "venv", str(tmp_path / "env")],
        [str(python), "-m", "pip", "install", "--quiet", f"{ROOT}[widget]"],
        [str(python), "-W", "error", "-c", WIDGET],
    ):
        subprocess.run(arguments, cwd=tmp_path, check=True)
