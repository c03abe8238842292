"""Pins on boards and clicks on charts: they move the focus, and nothing else moves it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import attention_ui.blocks as pages
import attention_ui.focus as module
from attention_ui import board, show
from attention_ui.focus import move_focus
from attention_viz import blocks as b
from attention_viz.matrices import Matrix, Side, matrix_board
from attention_viz.page_choices import Words
from tests.ui.app import gone_to, opened, page_context, refused, scenes


@pytest.mark.parametrize(
    ("axes", "index", "expected"),
    [
        ("B H T S", [0, 2, 5, 7], {"head": 2, "query": 5, "key": 7}),
        ("B T H·K", [0, 5, 11], {"query": 5, "head": 2, "feature": 3}),
        ("D H·K", [9, 11], {"head": 2, "feature": 3}),
        ("H·V D", [11, 9], {"head": 2, "feature": 9}),
        ("B T S H H", [0, 1, 2, 3, 3], {"head": 3, "query": 1, "key": 2}),
        ("B G S V", [0, 1, 2, 10**9], {"key": 2, "feature": 4095}),
    ],
)
def test_a_pinned_cell_moves_the_focus(
    monkeypatch: pytest.MonkeyPatch, axes: str, index: list[int], expected: dict[str, int]
) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr(module.st, "session_state", state)
    move_focus([(letter, 4 if "·" in letter else None) for letter in axes.split()], index)
    assert state == expected


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        ({}, True),
        ({"seed": 5}, True),
        ({"d_model": 8}, False),
        ({"head": 1}, False),
        ({"feature": 3}, False),
    ],
)
def test_a_pinned_operand_stays_pinned(change: dict[str, int], stays: bool) -> None:
    app = opened("projections", feature=1)
    pinned = {"array": "w_q", "index": [11, 1]}
    app.query_params["pin"] = "projection.w_q.11-1"
    assert scenes(app.run())[0]["cell"] == pinned
    for name, value in change.items():
        app.session_state[name] = value
    now = page_context(app.run())
    own = {"array": "queries", "index": [0, 0, now.focus.column(now.trace, "queries")]}
    assert scenes(app)[0]["cell"] == (pinned if stays else own)
    assert ("pin" in app.query_params) is stays


def test_the_same_address_pins_the_same_operand() -> None:
    address = {"head": 1, "query": 4, "pin": "scores.query_heads.0-1-4-2"}
    app = opened("scores", **address)
    assert scenes(app)[0]["cell"] == {"array": "query_heads", "index": [0, 1, 4, 2]}
    assert not app.toast
    assert scenes(gone_to(gone_to(app, "mask"), "scores"))[0]["cell"]["array"] == "query_heads"


@pytest.mark.parametrize("index", ["11", "11-1-0", "16-1", "", "x-1", "-1-1"])
def test_a_pinned_place_that_the_board_has_not(index: str) -> None:
    app = opened("projections", pin=f"projection.w_q.{index}")
    assert scenes(app)[0]["cell"] == {"array": "queries", "index": [0, 0, 0]}
    (refusal,) = refused(app)
    assert refusal[1] == f"projection.w_q.{index}"
    assert not app.run().toast
    assert "pin" not in app.query_params


def test_a_pinned_place_that_a_later_board_has_not() -> None:
    app = opened("projections", pin="projection.w_q.15-1")
    app.slider(key="n_heads").set_value(2)
    app.number_input(key="d_model").set_value(8).run()
    assert scenes(app)[0]["cell"]["array"] == "queries"
    assert not app.toast


def test_a_pin_that_led_to_another_page() -> None:
    app = opened("projections", feature=1)
    app.session_state["pin"] = "projection.w_q.11-1"
    assert scenes(app.run())[0]["cell"] == {"array": "queries", "index": [0, 0, 1]}
    assert app.session_state["pin"] == ""


@pytest.mark.parametrize(
    "pin",
    [
        None,
        "scores",
        {},
        {"array": "magic", "index": [0]},
        {"array": "scores"},
        {"array": "scores", "index": [0, 1]},
        {"array": "scores", "index": [0, -1, 0, 0]},
        {"array": "scores", "index": [0, 1.5, 0, 0]},
        {"array": "scores", "index": "0000"},
        {"array": ["scores"], "index": [0, 0, 0, 0]},
    ],
)
def test_a_pin_that_no_board_sends_moves_nothing(
    monkeypatch: pytest.MonkeyPatch, pin: object
) -> None:
    state: dict[str, Any] = {"board": {"pin": pin}, "head": 3}
    monkeypatch.setattr(board.st, "session_state", state)
    board._pinned("board", {"scores": [("B", None), ("H", None), ("T", None), ("S", None)]})
    assert state["head"] == 3
    assert state.keys() - {"session"} == {"board", "head"}


@pytest.mark.parametrize(
    ("click", "told"),
    [({"name": "head 2"}, ["head 2"])]
    + [(click, []) for click in ({"name": None}, None, "x", [], {}, {"tile": [0, 0]})],
)
def test_a_click_on_a_chart_tells_the_name_of_the_point(
    monkeypatch: pytest.MonkeyPatch, click: object, told: list[str]
) -> None:
    state: dict[str, Any] = {"chart": {"click": click}}
    monkeypatch.setattr(module.st, "session_state", state)
    heard: list[object] = []
    show._clicked("chart", heard.append)
    assert (heard, state.keys()) == (told, {"chart"})


def test_a_second_click_after_the_first_has_left_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr(module.st, "session_state", state)
    board._pinned("board", {"scores": [("T", None), ("S", None)]})
    board._edited("board")
    board._opened("board", pytest.fail)
    show._clicked("chart", pytest.fail)
    assert state.keys() <= {"session"}


@pytest.mark.parametrize(("row", "column"), [(1, 3), (0, 4), (1, 0)])
def test_a_click_on_a_cell_of_a_page_sets_what_stands_for_it(
    monkeypatch: pytest.MonkeyPatch, row: int, column: int
) -> None:
    """Two rows of five: cell (i, j) is number 5 i + j, and fills in i and j."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(pages.st, "session_state", state)
    monkeypatch.setattr(module.st, "session_state", state)
    matrix = Matrix("worth", np.zeros((2, 5)), Side("row"), Side("column"), (0, 0), "worth")
    shown = matrix_board([matrix], ("worth", 0, 0), "A matrix.")
    drawing = pages._Drawing("page", (Words("cell", "Cell", "", 40),), {})
    cells = [{"cell": f"{i}-{j}"} for i in range(2) for j in range(5)]
    drawing._pinned(b.Board(shown, "one", clicks={"worth": cells}), "worth", [row, column])
    assert state["cell"] == f"{row}-{column}"
    sets = {"worth": {"cell": "{1}-{0}"}}
    drawing._pinned(b.Board(shown, "two", sets=sets), "worth", [row, column])
    assert state["cell"] == f"{column}-{row}"
    press = b.Board(shown, "three", press=lambda name, at: {"cell": f"{name} {at}"})
    drawing._pinned(press, "worth", [row, column])
    assert state["cell"].split()[-1] == f"{column}]"
