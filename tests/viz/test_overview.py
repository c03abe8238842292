"""The whole layer as one picture: every matrix opens its step, and arrows join what is computed
from what.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_core.head_blocks import PLACES
from attention_viz.overview import ARROWS, MOST, overview
from attention_viz.payload import JSON, Stage
from tests.viz.example_traces import D, H, K, S, T, V, example, square
from tests.viz.reading_scenes import numbers


def arrows(board: JSON) -> set[str]:
    """Pairs of arrays that an arrow joins."""
    names = {panel["id"]: panel["array"] for panel in board["panels"]}
    return {f"{names[start]} {names[end]}" for start, end in board["arrows"]}


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("joined", [False, True])
def test_arrows_follow_the_layer(joined: bool, residual: bool) -> None:
    """Without W_O the merged heads are the output; only a residual layer leads its inputs there."""
    weights = Projections.weightless(6, 2) if joined else Projections.random(6, 2)
    board = overview(Stage(attend(np.eye(6), weights, residual=residual)), 1, 2, 1)
    missing = {"merged w_o", "w_o output"} if joined else {"merged output"}
    missing |= set() if residual else {"inputs output"}
    assert arrows(board) == set(ARROWS) - missing
    assert [panel["array"] for panel in board["panels"]] == [
        n for n in PLACES if not joined or n != "w_o"
    ]


def test_every_small_matrix_opens_its_step() -> None:
    """Weights open the step that reads them; nothing is played, and no cell explains itself."""
    board = overview(Stage(example()), 3, 2, 1)
    links = {panel["array"]: panel["link"] for panel in board["panels"]}
    weights = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "output"}
    assert links == {name: weights.get(name, name) for name in PLACES}
    assert {panel["size"] for panel in board["panels"]} == {"small"}
    assert (board["rules"], board["player"], board["arithmetic"]) == ({}, False, False)
    assert board["cell"] == {"array": "scores", "index": [0, 3, 2, 1]}


def test_of_the_heads_one_is_drawn() -> None:
    """Of fields with heads the given one travels, of matrices that fit all columns, of wide
    ones those around it.
    """
    arrays = overview(Stage(example()), 3, 2, 1)["arrays"]
    shapes = {
        "query_heads": [1, 1, T, K],
        "value_heads": [1, 1, S, V],
        "scores": [1, 1, T, S],
        "inputs": [1, T, D],
        "queries": [1, T, H * K],
    }
    assert {name: arrays[name]["shape"] for name in shapes} == shapes
    np.testing.assert_array_equal(
        numbers(arrays["scores"])[0, 0], example().scores[0, 3].astype("f4")
    )
    wide = attend(np.ones((50, 96)), Projections.random(96, 4))
    arrays = overview(Stage(wide), 2, 0, 0)["arrays"]
    assert arrays["queries"]["shape"] == [1, MOST, MOST]
    assert arrays["queries"]["start"] == [0, 0, 48]


def test_heads_wider_than_the_picture_are_cut() -> None:
    """Of a head of 96 columns the first 48 are drawn."""
    arrays = overview(Stage(attend(np.ones((2, 192)), Projections.random(192, 2))), 1, 0, 0)[
        "arrays"
    ]
    assert (arrays["queries"]["shape"], arrays["queries"]["start"]) == ([1, 2, MOST], [0, 0, 96])


@pytest.mark.parametrize(("query", "key"), [(0, 0), (47, 48), (63, 3)])
def test_the_chosen_cell_is_drawn_in_a_long_sentence(query: int, key: int) -> None:
    """Of 64 tokens 48 are drawn as queries and as keys, the chosen ones among them, in every
    matrix alike.
    """
    board = overview(Stage(square(64)), 0, query, key)
    rows, columns = ((16 if place >= MOST else 0) for place in (query, key))
    starts = {
        "inputs": [0, rows, 0],
        "queries": [0, rows, 0],
        "keys": [0, columns, 0],
        "scores": [0, 0, rows, columns],
        "probabilities": [0, 0, rows, columns],
        "output": [0, rows, 0],
    }
    assert {name: board["arrays"][name].get("start", [0, 0, 0]) for name in starts} == starts
    assert board["arrays"]["scores"]["shape"] == [1, 1, MOST, MOST]
    assert 0 <= query - rows < MOST
    assert 0 <= key - columns < MOST
    assert board["cell"] == {"array": "scores", "index": [0, 0, query, key]}
