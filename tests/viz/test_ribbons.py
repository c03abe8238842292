"""The lines of the memory below split and merge: every piece is the numbers that lie there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from attention_core.formulas import merge_heads
from attention_viz import story
from attention_viz.payload import JSON, Stage
from attention_viz.step_scene import StepWords, stage_board
from tests.viz.example_traces import square

ORDERS = ["token by token", "head by head"]


def place(position: JSON, index: tuple[int, ...]) -> int:
    """The index that a position gives."""
    total = sum(index[axis] * times for axis, times in position["parts"])
    total //= position.get("over", 1)
    return total % position["modulo"] if position.get("modulo") else total


def read(board: JSON, name: str, heads: np.ndarray) -> np.ndarray:
    """The numbers of a line, in its order."""
    (source,) = board["rules"][name]["reads"]
    shape = board["arrays"][name]["shape"]
    cells = [
        heads[tuple(place(position, index) for position in source["at"])]
        for index in np.ndindex(*shape)
    ]
    return np.array(cells)


@pytest.mark.parametrize("n_heads", [2, 5])
@pytest.mark.parametrize("step", ["split", "merge"])
def test_the_lines_are_the_memory(step: str, n_heads: int) -> None:
    trace = square(7, n_heads)
    stage, cell = Stage(trace), (1, 3, 2)
    board = (
        story.split_board(stage, "keys", cell)
        if step == "split"
        else story.merge_board(stage, cell)
    )
    heads = trace.key_heads if step == "split" else trace.head_outputs
    shown = stage_board(board, StepWords("", "", "", "", [], 0))
    ribbons = [panel["array"] for panel in shown["panels"] if panel["role"] == "ribbon"]
    assert ribbons == (ORDERS if step == "split" else ORDERS[::-1])
    np.testing.assert_array_equal(read(board, ORDERS[0], heads), merge_heads(heads).ravel())
    np.testing.assert_array_equal(read(board, ORDERS[1], heads), heads.ravel())
    names = board["axes"][ORDERS[1]]["labels"]
    assert names[:2] == ["t0 · 0", "t1 · 0"]
    assert names[-1] == f"t6 · {n_heads - 1}"
    briefs = [panel["brief"] for panel in shown["panels"] if panel["array"] == ORDERS[1]]
    assert all(int(a) <= int(b) for a, b in pairwise(briefs[0]))


@pytest.mark.parametrize(("n_tokens", "n_heads"), [(7, 1), (1, 3), (64, 4)])
def test_where_there_are_no_lines(n_tokens: int, n_heads: int) -> None:
    board = story.split_board(Stage(square(n_tokens, n_heads)), "queries", (0, 0, 0))
    assert all(panel["role"] != "ribbon" for panel in board["panels"])
