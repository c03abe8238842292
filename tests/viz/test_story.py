"""The boards of the story: which matrices stand where, what each of them is on the board, what the
board says.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_core.formulas import merge_heads
from attention_lab.next_token import next_token_of
from attention_lab.scenario import Scenario, trace_of
from attention_lab.words.embeddings import embed
from attention_viz.payload import JSON, Stage
from attention_viz.step_scene import stage_board
from attention_viz.story.cutting import merge_board, split_board
from attention_viz.story.next_token import next_token_sentences
from attention_viz.story.products import inputs_board, output_board, projection_board
from tests.viz.example_traces import M, S, T, V, example, square
from tests.viz.reading_scenes import worked_out
from tests.viz.reading_words import holds
from tests.viz.story_boards import FOCUS, RIBBONS, STORY

# What the stage of a step shows: the parts that take part in the computation.
ON_STAGE = {
    "split of keys": ["keys", "key_heads", *RIBBONS],
    "scale": ["scores", "scaled_scores", "raw_shares", "scaled_shares"],
    "mask": ["scaled_scores", "masked_scores"],
    "softmax": ["masked_scores", "probabilities", "share_sum"],
    "merge": ["head_outputs", "merged", *reversed(RIBBONS)],
}


def drawn_axes(board: JSON, panel: JSON) -> list[str | None]:
    """The letters of the rows and columns of a panel."""
    letters = board["arrays"][panel["array"]]["axes"]
    return [None if panel[side] is None else letters[panel[side]] for side in ("rows", "columns")]


@pytest.mark.parametrize(
    "name", ["projection of queries", "projection of values", "scores", "mixing", "output", "pair"]
)
def test_in_a_product_the_row_of_a_result_meets_its_column(name: str) -> None:
    board = STORY[name](Stage(example()))
    parts = [p for p in board["panels"] if p["role"] in ("operand", "result")]
    left, above, result = parts
    assert [part["role"] for part in parts] == ["operand", "operand", "result"]
    assert result["place"] == [above["place"][0], left["place"][1]]
    (row, inner), (also_inner, column) = (drawn_axes(board, part) for part in (left, above))
    assert drawn_axes(board, result) == [row, column]
    assert inner == also_inner
    assert (board["player"], board["arithmetic"]) == (True, True)


@pytest.mark.parametrize("name", ON_STAGE)
def test_the_stage_shows_what_is_computed_and_keeps_its_sides(name: str) -> None:
    board = STORY[name](Stage(example(n_heads=2)))
    shown = stage_board(board, {})["panels"]
    assert [p["array"] for p in shown if p["role"] != "tiles"] == ON_STAGE[name]
    if name in ("scale", "mask", "softmax"):
        assert drawn_axes(board, shown[0]) == drawn_axes(board, shown[1]) == ["T", "S"]
        assert shown[0]["place"][1] == shown[1]["place"][1]


def test_inputs_and_weights_can_be_edited() -> None:
    boards = [made(Stage(example())) for made in STORY.values()]
    editable = {p["array"] for board in boards for p in board["panels"] if p.get("editable")}
    assert editable == {"inputs", "w_q", "w_k", "w_v", "w_o"}


def test_one_head_has_no_panel_of_all_heads() -> None:
    for name in ("scores", "scale", "mask", "softmax", "mixing"):
        one, many = (STORY[name](Stage(example(n_heads=n))) for n in (1, 2))
        assert [panel["role"] == "tiles" for panel in many["panels"]].count(True) == 1
        assert all(panel["role"] != "tiles" for panel in one["panels"])


def test_the_output_is_said_as_it_is_made() -> None:
    joined = Projections.weightless(6, 2)
    plain_says, added_says = (
        output_board(Stage(attend([[1.0] * 6] * T, joined, residual=residual)), 2, 1)["description"]
        for residual in (False, True)
    )
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
    shown = stage_board(output_board(stage, 0, 0), {})
    assert [panel["array"] for panel in shown["panels"]] == parts
    assert shown["stage"]["signs"] == signs


@pytest.mark.parametrize("n_heads", [2, 5])
@pytest.mark.parametrize("step", ["split", "merge"])
def test_the_lines_are_the_memory(step: str, n_heads: int) -> None:
    trace = square(7, n_heads)
    stage, cell = Stage(trace), (1, 3, 2)
    board = split_board(stage, "keys", cell) if step == "split" else merge_board(stage, cell)
    heads = trace.key_heads if step == "split" else trace.head_outputs
    shown = stage_board(board, {})
    ribbons = [panel["array"] for panel in shown["panels"] if panel["role"] == "ribbon"]
    assert ribbons == (RIBBONS if step == "split" else RIBBONS[::-1])
    for name, memory in zip(RIBBONS, (merge_heads(heads).ravel(), heads.ravel()), strict=True):
        cells = np.ndindex(*board["arrays"][name]["shape"])
        found = [worked_out(board, name, cell) for cell in cells]
        np.testing.assert_array_equal(found, memory.astype("f4"))
    names = board["axes"][RIBBONS[1]]["labels"]
    assert names[:2] == ["t0 · 0", "t1 · 0"]
    assert names[-1] == f"t6 · {n_heads - 1}"
    briefs = [panel["brief"] for panel in shown["panels"] if panel["array"] == RIBBONS[1]]
    assert all(int(a) <= int(b) for a, b in pairwise(briefs[0]))


@pytest.mark.parametrize(("n_tokens", "n_heads"), [(7, 1), (1, 3), (64, 4)])
def test_where_there_are_no_lines(n_tokens: int, n_heads: int) -> None:
    board = split_board(Stage(square(n_tokens, n_heads)), "queries", (0, 0, 0))
    assert all(panel["role"] != "ribbon" for panel in board["panels"])


def test_an_axis_is_called_by_the_letter_it_stands_under() -> None:
    wide = Projections(*np.ones((3, 6, 6)), np.ones((6, 3)), n_heads=2)
    stages = Stage(example()), Stage(attend(np.ones((T, 6)), wide))
    axes = [made(stage)["axes"] for stage in stages for made in STORY.values()]
    words = {(letter, axis["word"]) for one in axes for letter, axis in one.items()}
    named = {(letter, word) for letter, word in words if letter in ("H", "D", "O")}
    assert named == {("H", "head"), ("D", "model feature"), ("O", "output feature")}


def test_the_matrices_of_a_layer_of_the_language_model_are_counted() -> None:
    said = dict(next_token_sentences(next_token_of(Scenario("A frog", weights="language model"))))
    fed = 3 * 64 * 172  # three matrices, between 64 and 172 features
    attention = 2 * 64 * 64 + 2 * 64 * 32  # eight heads of queries, four of keys and values
    counts = [int(one.replace(",", "")) for one in re.findall(r"[\d,]*\d", said["Feed-forward"])]
    assert counts == [fed, attention]
