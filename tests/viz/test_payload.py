"""What travels of an array: its numbers, windows of wide ones, flags of cells, colour scales."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_viz import story
from attention_viz.payload import Stage
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_bytes
from tests.viz.example_traces import example
from tests.viz.reading_scenes import numbers
from tests.viz.story_boards import FOCUS, STORY


@pytest.mark.parametrize("case", ["causal", "empty row", "all hidden"])
def test_shares_of_hidden_keys_are_flagged(case: str) -> None:
    trace = example(case)
    shares = story.softmax_board(Stage(trace), FOCUS)["arrays"]["probabilities"]
    flags = np.unpackbits(np.frombuffer(shares["hatched"], "u1"), bitorder="little")
    np.testing.assert_array_equal(
        flags[: trace.hidden.size].reshape(trace.hidden.shape), trace.hidden
    )
    assert (numbers(shares)[trace.hidden] == 0).all()
    assert "hatched" not in story.softmax_board(Stage(example()), FOCUS)["arrays"]["probabilities"]


def test_noise_does_not_travel() -> None:
    x = np.array([[1.0, 1e-17], [30.0, 0.0]])
    trace = attend(x, Projections.weightless(2))
    board = story.softmax_board(Stage(trace), (0, 1, 0, 0))["arrays"]
    tokens = story.scores_board(Stage(trace), (0, 0, 0, 0))["arrays"]["query_heads"]
    assert numbers(tokens).tolist() == [[[[1, 0], [30, 0]]]]
    assert trace.query_heads[0, 0, 0, 1] == 1e-17
    assert 0 < numbers(board["probabilities"])[0, 0, 0, 0] < 1e-8


def test_only_the_columns_around_the_head_travel() -> None:
    x = np.random.default_rng(0).normal(size=(3, 512))
    trace = attend(x, Projections.random(512, 16))
    array = story.projection_board(Stage(trace), "queries", (5, 1, 7))["arrays"]["w_q"]
    assert (array["shape"], array["start"], array["whole"]) == ([512, 64], [0, 128], [512, 512])
    columns = story.output_board(Stage(trace), 1, 300)["arrays"]["w_o"]
    assert (columns["shape"], columns["start"]) == ([512, 64], [0, 256])


def test_edited_cells_are_flagged() -> None:
    x = np.arange(6.0).reshape(2, 3)
    weights = Projections.weightless(3)
    before, after = attend(x, weights), attend(x + np.array([[0, 0, 0], [0, 1, 0]]), weights)
    scene = story.scores_board(Stage(after, before=before), (0, 0, 0))
    sent = scene["arrays"]["query_heads"]["changed"]
    flags = np.unpackbits(np.frombuffer(sent, "u1"), bitorder="little")
    assert flags[:6].tolist() == [0, 0, 0, 0, 1, 0]
    assert (
        "changed"
        not in story.scores_board(Stage(after, before=after), (0, 0, 0))["arrays"]["scores"]
    )


def test_the_payload_is_small() -> None:
    trace = example("causal", n_heads=5)
    for name, made in STORY.items():
        scene = coloured_scene(made(Stage(replace(trace))), "light")
        shown = sum(
            4 * math.prod(array["shape"]) for array in scene["arrays"].values() if "data" in array
        )
        assert len(scene_to_bytes(scene)) <= 1.1 * shown + 12_000, name
