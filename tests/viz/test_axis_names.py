"""Columns that mean something travel with their names, whatever part of an array is sent and
however it is drawn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.by_hand import HANDMADE_FEATURES
from attention_lab.column_names import column_names
from attention_lab.notation.texts import NOTATIONS
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import embedding_of
from attention_lab.user_data.user_matrices import UserMatrices
from attention_viz.overview import overview
from attention_viz.payload import JSON, Stage, array_json
from attention_viz.story.products import inputs_board, projection_board
from tests.viz.reading_scenes import written_and_read

FIRST = Scenario("the cat saw the box and it ran", weights="by hand", d_model=8, n_heads=2)
STAGE = Stage(trace_of(FIRST), names=column_names(FIRST))
QUERIES = [
    ["noun?", "animate?", "unused", "unused"],
    ["before cos", "before sin", "unused", "unused"],
]
KEYS = [["noun", "animate", "unused", "unused"], ["cos", "sin", "unused", "unused"]]
VALUES = [["noun", "animate", "pronoun", "verb"], ["noun", "animate", "verb", "other"]]
# By array and axis: the names, and the axis of heads that chooses among them.
EXPECTED: dict[str, dict[int, tuple[Any, int | None]]] = {
    "inputs": {2: (HANDMADE_FEATURES, None)},
    "memory": {2: (HANDMADE_FEATURES, None)},
    "w_q": {0: (HANDMADE_FEATURES, None), 1: ([*QUERIES[0], *QUERIES[1]], None)},
    "w_k": {0: (HANDMADE_FEATURES, None), 1: ([*KEYS[0], *KEYS[1]], None)},
    "w_v": {0: (HANDMADE_FEATURES, None), 1: ([*VALUES[0], *VALUES[1]], None)},
    "queries": {2: ([*QUERIES[0], *QUERIES[1]], None)},
    "keys": {2: ([*KEYS[0], *KEYS[1]], None)},
    "values": {2: ([*VALUES[0], *VALUES[1]], None)},
    "query_heads": {3: (QUERIES, 1)},
    "key_heads": {3: (KEYS, 1)},
    "value_heads": {3: (VALUES, 1)},
    "reshaped_keys": {3: (KEYS, 2)},
    "weighted_values": {4: (VALUES, 1)},
    "scores": {},
    "scaled_scores": {},
    "masked_scores": {},
    "probabilities": {},
    "head_outputs": {3: (VALUES, 1)},
    "merged": {2: ([*VALUES[0], *VALUES[1]], None)},
    "w_o": {0: ([*VALUES[0], *VALUES[1]], None), 1: (HANDMADE_FEATURES, None)},
    "head_contributions": {3: (HANDMADE_FEATURES, None)},
    "output": {2: (HANDMADE_FEATURES, None)},
    # Mixed up by mistake, or a product of two: no name would be right.
    "unswapped_queries": {},
    "merged_unswapped": {},
    "pair_hadamard": {},
}


def as_sent(expected: dict[int, tuple[Any, int | None]]) -> JSON:
    """The entry of an array as the board gets it."""
    return {
        str(axis): {
            "labels": list(labels) if by is None else [list(of_head) for of_head in labels],
            "by": by,
        }
        for axis, (labels, by) in expected.items()
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_names_of_an_array(name: str) -> None:
    assert array_json(STAGE, name).get("names", {}) == as_sent(EXPECTED[name])


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=lambda notation: notation.key)
def test_names_are_those_of_the_whole_array(notation: Any) -> None:
    stage = replace(STAGE, notation=notation)
    scenes = (overview(stage, 1, 6, 1), projection_board(stage, "queries", (1, 6, 0)))
    for scene in map(written_and_read, scenes):
        for name, array in scene["arrays"].items():
            assert array.get("names", {}) == as_sent(EXPECTED.get(name, {})), name
    windowed = replace(stage, windows={"H": (1, 2), "H·K": (4, 8), "D": (0, 3)})
    for name in ("query_heads", "queries", "inputs"):
        assert array_json(windowed, name)["names"] == as_sent(EXPECTED[name])


def test_words_and_places_are_named() -> None:
    arrays = inputs_board(STAGE, embedding_of(FIRST), 6, 0)["arrays"]
    for name in ("words", "positions"):
        assert arrays[name]["names"] == as_sent({1: (HANDMADE_FEATURES, None)})


def test_no_names_without_meaning() -> None:
    other = Stage(trace_of(Scenario()), names=column_names(Scenario()))
    assert "names" not in array_json(other, "inputs")
    wide = attend(np.ones((3, 12)), Projections.random(12, 3))
    for name in ("inputs", "queries", "query_heads", "output"):
        assert "names" not in array_json(replace(STAGE, trace=wide), name)
    own = replace(FIRST, own=UserMatrices(w_k=np.eye(8)).url_value())
    stage = Stage(trace_of(own), names=column_names(own))
    assert "names" not in array_json(stage, "key_heads")
    assert array_json(stage, "w_k")["names"] == as_sent({0: (HANDMADE_FEATURES, None)})
    assert array_json(stage, "query_heads")["names"] == as_sent(EXPECTED["query_heads"])


def test_heads_that_share_keys() -> None:
    """Where heads share keys, the names of their own keys would mislead; queries keep theirs."""
    p = STAGE.trace.projections
    shared = Projections(p.w_q, p.w_k[:, :4], p.w_v[:, :4], p.w_o, n_heads=2, n_kv_heads=1)
    stage = replace(STAGE, trace=attend(STAGE.trace.inputs, shared))
    assert "names" not in array_json(stage, "key_heads")
    assert "names" in array_json(stage, "query_heads")
