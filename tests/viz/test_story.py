"""The boards of the story: which matrices stand where, what each of them is on the board, what the
board says.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_core.formulas import merge_heads
from attention_lab.scenario import Scenario, trace_of
from attention_lab.words.embeddings import embed
from attention_viz.payload import JSON, Stage
from attention_viz.step_scene import StepWords, stage_board
from attention_viz.story.cutting import merge_board, split_board
from attention_viz.story.products import inputs_board, output_board, projection_board
from tests.viz.example_traces import M, S, T, V, example, square
from tests.viz.reading_scenes import worked_out
from tests.viz.reading_words import holds
from tests.viz.story_boards import FOCUS, STORY

# Of each panel: array, column and row of the board's grid, role, axes that are drawn, and what else
# it is.
PANELS = {
    "projection of queries": [
        "inputs 0 1 operand T×D editable",
        "w_q 1 0 operand D×H·K editable",
        "queries 1 1 result T×H·K",
    ],
    "projection of values": [
        "memory 0 1 operand S×M",
        "w_v 1 0 operand M×H·V editable",
        "values 1 1 result S×H·V",
    ],
    "split of keys": [
        "keys 0 0 operand S×H·K",
        "reshaped_keys 0 1 aside S×H×K tiles=2 arrange=across",
        "key_heads 0 2 result H×S×K tiles=1 arrange=across",
        "unswapped_keys 0 3 aside H×S×K tiles=1 arrange=across",
    ],
    "scores": [
        "query_heads 0 1 operand T×K",
        "key_heads 1 0 operand K×S",
        "scores 1 1 result T×S",
        "scores 2 1 tiles H×T×S small tiles=1 arrange=grid",
    ],
    "scale": [
        "scores 0 0 operand T×S",
        "scaled_scores 1 0 result T×S",
        "raw_shares 0 1 row S",
        "scaled_shares 1 1 row S",
        "scaled_scores 2 0 tiles H×T×S small tiles=1 arrange=grid",
    ],
    "mask": [
        "scaled_scores 0 0 operand T×S",
        "masked_scores 1 0 result T×S",
        "masked_scores 2 0 tiles H×T×S small tiles=1 arrange=grid",
    ],
    "softmax": [
        "masked_scores 0 0 operand T×S",
        "probabilities 1 0 result T×S",
        "share_sum 2 0 total T",
        "shifted_scores 0 1 row S",
        "row_maximum 1 1 row ",
        "exponentials 0 2 row S",
        "row_sum 1 2 row ",
        "probabilities 3 0 tiles H×T×S small tiles=1 arrange=grid",
    ],
    "mixing": [
        "probabilities 0 1 operand T×S",
        "value_heads 1 0 operand S×V",
        "head_outputs 1 1 result T×V",
        "weighted_values 2 0 aside S×V",
        "head_outputs 2 1 tiles H×T×V small tiles=1 arrange=grid",
    ],
    "merge": [
        "head_outputs 0 0 operand H×T×V tiles=1 arrange=across",
        "merged 0 1 result T×H·V",
        "merged_unswapped 0 2 aside T×H·V",
    ],
    "pair": [
        "query_heads 0 1 operand H×K",
        "key_heads 1 0 operand K×H",
        "pair_products 1 1 result H×H mark=diagonal",
        "pair_hadamard 2 1 aside H×K",
        "scores 3 1 aside H",
        "pair_total 3 2 aside ",
    ],
    "value pair": [
        "probabilities 0 0 operand H",
        "value_heads 1 0 operand H×V",
        "weighted_values 2 0 result H×V",
        "head_outputs 3 0 aside H×V",
    ],
    "output": [
        "merged 0 1 operand T×H·V",
        "w_o 1 0 operand H·V×D editable",
        "output 1 1 result T×D",
        "head_contributions 1 2 aside H×D",
    ],
}


AXIS = {"T": "query", "S": "key", "H": "head", "G": "key/valuehead"}


def in_words(line: str) -> str:
    """A line of `PANELS` with its axes in words, as badges say them."""
    array, column, row, role, letters, *marks = line.split(" ")
    words = ["column" if "·" in a else AXIS.get(a, "feature") for a in letters.split("×")]
    return " ".join([array, column, row, role, "×".join(words) if letters else "", *marks])


def told(board: JSON) -> list[str]:
    """Each panel of a board as one line of `PANELS`, but for the lines of the memory."""
    lines = []
    for panel in board["panels"]:
        if panel["role"] == "ribbon":
            continue
        marks = [mark for mark in ("editable", "small") if panel.get(mark) or panel["size"] == mark]
        marks += [
            f"{key}={panel[key]}" for key in ("tiles", "arrange", "mark", "link") if key in panel
        ]
        place, badge = panel["place"], panel["badge"].partition(", ")[2].replace(" ", "")
        lines.append(" ".join([panel["array"], *map(str, place), panel["role"], badge, *marks]))
    return lines


@pytest.mark.parametrize("name", PANELS)
def test_which_matrix_stands_where(name: str) -> None:
    board = STORY[name](Stage(example()))
    assert told(board) == list(map(in_words, PANELS[name]))
    before = name.startswith(("projection", "split"))
    drawn = [panel for panel in board["panels"] if panel["role"] != "ribbon"]
    assert {panel.get("quiet", False) for panel in drawn} == {before}
    assert (board["player"], board["arithmetic"]) == (True, True)


def test_one_head_has_no_panel_of_all_heads() -> None:
    boards = [
        STORY[name](Stage(example(n_heads=1)))
        for name in ("scores", "scale", "mask", "softmax", "mixing")
    ]
    assert [line for board in boards for line in told(board) if " tiles " in line] == []


def test_without_w_o_the_output_is_the_merged_heads() -> None:
    joined = Projections.weightless(6, 2)
    plain, added = (
        attend([[1.0] * 6] * T, joined, residual=residual) for residual in (False, True)
    )
    boards = [output_board(Stage(trace), 2, 1) for trace in (plain, added)]
    alone = ["merged 0 0 operand T×H·V", "output 1 0 result T×D"]
    assert told(boards[0]) == list(map(in_words, alone))
    summed = ["inputs 1 0 operand T×D", "output 2 0 result T×D"]
    assert told(boards[1])[1:] == list(map(in_words, summed))
    plain_says, added_says = (board["description"] for board in boards)
    assert holds(plain_says, "merged", "output")
    assert holds(added_says, "merged", "inputs", "output")
    assert "inputs" not in plain_says
    assert not any("W_O" in says for says in (plain_says, added_says))


def test_what_a_product_is_made_of() -> None:
    biased = example()
    plain = replace(biased, projections=replace(biased.projections, b_v=None))
    with_bias, without = (
        projection_board(Stage(trace), "values", FOCUS)["description"] for trace in (biased, plain)
    )
    assert holds(with_bias, "memory", "W_V", "b_V", "values")
    assert holds(without, "memory", "W_V", "values")
    assert "b_V" not in without


def test_edited_inputs_are_no_sum() -> None:
    embedding = embed(["a", "b"], 5)
    plain, edited = (
        attend(embedding.inputs + more, Projections.weightless(5)) for more in (0, np.eye(2, 5))
    )
    boards = [
        inputs_board(Stage(trace, before=before), embedding, 1, 4)
        for trace, before in ((plain, None), (edited, plain))
    ]
    assert [list(board["rules"]) for board in boards] == [["inputs"], []]
    plain_says, edited_says = (board["description"] for board in boards)
    assert holds(plain_says, "inputs")
    assert holds(edited_says, "inputs", "edited")
    assert "edited" not in plain_says


def test_axes_know_how_wide_a_head_is() -> None:
    trace = example("causal", tokens=tuple("abcdefg"))
    axes = STORY["projection of values"](Stage(trace))["axes"]
    labelled = {"T": list("abcde"), "S": list("abcdefg")}
    assert {name: (axis["labels"], axis["block"]) for name, axis in axes.items()} == {
        "B": (None, None),
        "S": (labelled["S"], None),
        "M": (None, None),
        "H·V": (None, V),
    }
    assert STORY["scores"](Stage(trace))["axes"]["T"]["labels"] == labelled["T"]
    assert (S, M) == (7, 13)


@pytest.mark.parametrize(
    ("choices", "parts", "signs"),
    [
        ({}, ["merged", "w_o", "output"], ["·", "="]),
        ({"residual": True}, ["merged", "w_o", "inputs", "output"], ["·", "+", "="]),
        ({"output_matrix": "none"}, ["merged", "output"], ["→"]),
        ({"output_matrix": "none", "residual": True}, ["merged", "inputs", "output"], ["+", "="]),
    ],
)
def test_the_output_reads_as_an_equation(
    choices: dict[str, Any], parts: list[str], signs: list[str]
) -> None:
    stage = Stage(trace_of(Scenario(**choices)))
    shown = stage_board(output_board(stage, 0, 0), StepWords("", "", "", "y", (), 0))
    assert [panel["array"] for panel in shown["panels"]] == parts
    assert shown["stage"]["signs"] == signs


ORDERS = ["token by token", "head by head"]


@pytest.mark.parametrize("n_heads", [2, 5])
@pytest.mark.parametrize("step", ["split", "merge"])
def test_the_lines_are_the_memory(step: str, n_heads: int) -> None:
    trace = square(7, n_heads)
    stage, cell = Stage(trace), (1, 3, 2)
    board = split_board(stage, "keys", cell) if step == "split" else merge_board(stage, cell)
    heads = trace.key_heads if step == "split" else trace.head_outputs
    shown = stage_board(board, StepWords("", "", "", "", [], 0))
    ribbons = [panel["array"] for panel in shown["panels"] if panel["role"] == "ribbon"]
    assert ribbons == (ORDERS if step == "split" else ORDERS[::-1])
    for name, memory in zip(ORDERS, (merge_heads(heads).ravel(), heads.ravel()), strict=True):
        cells = np.ndindex(*board["arrays"][name]["shape"])
        found = [worked_out(board, name, cell) for cell in cells]
        np.testing.assert_array_equal(found, memory.astype("f4"))
    names = board["axes"][ORDERS[1]]["labels"]
    assert names[:2] == ["t0 · 0", "t1 · 0"]
    assert names[-1] == f"t6 · {n_heads - 1}"
    briefs = [panel["brief"] for panel in shown["panels"] if panel["array"] == ORDERS[1]]
    assert all(int(a) <= int(b) for a, b in pairwise(briefs[0]))


@pytest.mark.parametrize(("n_tokens", "n_heads"), [(7, 1), (1, 3), (64, 4)])
def test_where_there_are_no_lines(n_tokens: int, n_heads: int) -> None:
    board = split_board(Stage(square(n_tokens, n_heads)), "queries", (0, 0, 0))
    assert all(panel["role"] != "ribbon" for panel in board["panels"])
