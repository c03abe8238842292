"""The whole layer as one picture: every matrix opens its step, and arrows join what is computed
from what.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_viz.overview import ARROWS, FLOW, MAX_SIDE_DRAWN, overview
from attention_viz.payload import JSON, Stage
from tests.viz.example_traces import D, H, S, T, V, example, square
from tests.viz.reading_scenes import numbers

NAMES = [name for column in FLOW for name in column]


def arrows(board: JSON) -> set[tuple[str, str]]:
    """Pairs of arrays that an arrow joins."""
    names = {panel["id"]: panel["array"] for panel in board["panels"]}
    return {(names[start], names[end]) for start, end in board["arrows"]}


@pytest.mark.parametrize("joined", [False, True])
def test_arrows_follow_the_layer(joined: bool) -> None:
    weights = Projections.weightless(6, 2) if joined else Projections.random(6, 2)
    board = overview(Stage(attend(np.eye(6), weights)), 1, 2, 1)
    last = {("head_outputs", "w_o"), ("w_o", "output")}
    if joined:
        last = {("head_outputs", "output")}
    assert arrows(board) == set(ARROWS) | last
    shown = [panel["array"] for panel in board["panels"]]
    assert shown == [n for n in NAMES if not joined or n != "w_o"]
    ids = [panel["id"] for panel in board["panels"]]
    assert [one for column in board["flow"] for one in column] == ids


def test_every_matrix_opens_its_step() -> None:
    board = overview(Stage(example()), 3, 2, 1)
    links = {panel["array"]: panel["link"] for panel in board["panels"]}
    weights = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "output"}
    assert links == {name: weights.get(name, name) for name in NAMES}
    assert (board["player"], board["arithmetic"]) == (False, True)
    assert board["cell"] == {"array": "probabilities", "index": [0, 3, 2, 1]}


def test_all_heads_are_drawn() -> None:
    board = overview(Stage(example()), 3, 2, 1)
    arrays = board["arrays"]
    shapes = {"probabilities": [1, H, T, S], "head_outputs": [1, H, T, V], "inputs": [1, T, D]}
    assert {name: arrays[name]["shape"] for name in shapes} == shapes
    np.testing.assert_array_equal(
        numbers(arrays["probabilities"])[0], example().probabilities[0].astype("f4")
    )
    tiles = {panel["array"]: panel.get("tiles") for panel in board["panels"]}
    assert {name for name, axis in tiles.items() if axis == 1} == {"probabilities", "head_outputs"}


def test_of_wide_matrices_the_columns_around_the_head_are_drawn() -> None:
    wide = attend(np.ones((50, 96)), Projections.random(96, 4))
    arrays = overview(Stage(wide), 2, 0, 0)["arrays"]
    assert arrays["queries"]["shape"] == [1, MAX_SIDE_DRAWN, MAX_SIDE_DRAWN]
    assert arrays["queries"]["start"] == [0, 0, 48]
    one = overview(Stage(attend(np.ones((2, 192)), Projections.random(192, 2))), 1, 0, 0)
    queries = one["arrays"]["queries"]
    assert (queries["shape"], queries["start"]) == ([1, 2, MAX_SIDE_DRAWN], [0, 0, 96])


@pytest.mark.parametrize(("query", "key"), [(0, 0), (23, 24), (47, 48), (63, 3)])
def test_the_chosen_cell_is_drawn_in_a_long_sentence(query: int, key: int) -> None:
    board = overview(Stage(square(64)), 0, query, key)
    rows, columns = board["arrays"]["probabilities"]["start"][2:]
    assert board["arrays"]["probabilities"]["shape"][2:] == [MAX_SIDE_DRAWN, MAX_SIDE_DRAWN]
    for name, first in (("inputs", rows), ("queries", rows), ("keys", columns), ("output", rows)):
        assert board["arrays"][name].get("start", [0, 0, 0])[1] == first
    assert 0 <= query - rows < MAX_SIDE_DRAWN
    assert 0 <= key - columns < MAX_SIDE_DRAWN
