"""What travels of an array, and a scene that is written out and read again is the same one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import Projections, attend
from attention_viz.payload import Stage, float_bytes, pack_bits
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_bytes, scene_to_text
from attention_viz.story.per_head import scores_board, softmax_board
from attention_viz.story.products import output_board, projection_board
from tests.viz.example_traces import HOSTILE, example
from tests.viz.reading_scenes import flags, numbers, scene_of, scene_of_text
from tests.viz.story_boards import FOCUS, STORY


@pytest.mark.parametrize("case", ["causal", "empty row", "all hidden"])
def test_shares_of_hidden_keys_are_flagged(case: str) -> None:
    trace = example(case)
    shares = softmax_board(Stage(trace), FOCUS)["arrays"]["probabilities"]
    np.testing.assert_array_equal(flags(shares, "hatched"), trace.hidden)
    assert (numbers(shares)[trace.hidden] == 0).all()
    assert "hatched" not in softmax_board(Stage(example()), FOCUS)["arrays"]["probabilities"]


def test_noise_does_not_travel() -> None:
    x = np.array([[1.0, 1e-17], [30.0, 0.0]])
    trace = attend(x, Projections.weightless(2))
    board = softmax_board(Stage(trace), (0, 1, 0, 0))["arrays"]
    tokens = scores_board(Stage(trace), (0, 0, 0, 0))["arrays"]["query_heads"]
    assert numbers(tokens).tolist() == [[[[1, 0], [30, 0]]]]
    assert trace.query_heads[0, 0, 0, 1] == 1e-17
    assert 0 < numbers(board["probabilities"])[0, 0, 0, 0] < 1e-8


def test_only_the_columns_around_the_head_travel() -> None:
    x = np.random.default_rng(0).normal(size=(3, 512))
    trace = attend(x, Projections.random(512, 16))
    array = projection_board(Stage(trace), "queries", (5, 1, 7))["arrays"]["w_q"]
    assert (array["shape"], array["start"], array["whole"]) == ([512, 64], [0, 128], [512, 512])
    columns = output_board(Stage(trace), 1, 300)["arrays"]["w_o"]
    assert (columns["shape"], columns["start"]) == ([512, 64], [0, 256])


def test_edited_cells_are_flagged() -> None:
    x = np.arange(6.0).reshape(2, 3)
    weights = Projections.weightless(3)
    before, after = attend(x, weights), attend(x + np.array([[0, 0, 0], [0, 1, 0]]), weights)
    scene = scores_board(Stage(after, before=before), (0, 0, 0))
    changed = flags(scene["arrays"]["query_heads"], "changed")
    assert changed.ravel().tolist() == [False] * 4 + [True, False]
    assert "changed" not in scores_board(Stage(after, before=after), (0, 0, 0))["arrays"]["scores"]


def test_the_payload_is_small() -> None:
    trace = example("causal", n_heads=5)
    for name, made in STORY.items():
        scene = coloured_scene(made(Stage(replace(trace))), "light")
        shown = sum(
            4 * math.prod(array["shape"]) for array in scene["arrays"].values() if "data" in array
        )
        assert len(scene_to_bytes(scene)) <= 1.1 * shown + 12_000, name


AWKWARD = (
    *HOSTILE,
    *("</script>", "<!--", "\"'\\", "\u202eabc", "👩‍🚀", "\u2028\u2029", "\x00\x1f", "\ufeff"),
    *("\ud800", "a\udfff"),
)


def test_the_bytes_of_a_small_scene() -> None:
    masked = pack_bits(np.array([False] * 8 + [True]))
    scene = {
        "arrays": {
            "a": {"data": float_bytes(np.array([1.0, -2.0])), "masked": masked},
            "b": {"data": float_bytes(np.array([0.5]))},
        }
    }
    text = b'{"arrays":{"a":{"data":[0,8],"masked":[8,2]},"b":{"data":[12,4]}}}'
    parts = b"\x00\x00\x80?\x00\x00\x00\xc0" + b"\x00\x01" + b"\x00\x00" + b"\x00\x00\x00?"
    assert scene_to_bytes(scene) == b"\x44\x00\x00\x00" + text + b"  " + parts


@given(st.lists(st.binary(max_size=9)))
def test_parts_of_any_length_come_back(parts: list[bytes]) -> None:
    scene = {"arrays": {str(i): {"data": part} for i, part in enumerate(parts)}}
    assert scene_of(scene_to_bytes(scene)) == scene_of_text(scene_to_text(scene)) == scene


@pytest.mark.parametrize("word", AWKWARD)
def test_texts_arrive_letter_by_letter(word: str) -> None:
    scene = {"description": word, "arrays": {word: {"title": word, "data": b"1234"}}}
    assert scene_of(scene_to_bytes(scene)) == scene_of_text(scene_to_text(scene)) == scene


@pytest.mark.parametrize("value", [np.zeros(2), np.float32(1), {1, 2}, bytearray(4)])
def test_only_plain_values_and_bytes_are_written(value: Any) -> None:
    """The numbers of an array in memory would pass for bytes; nothing is turned into text,
    either.
    """
    for written in (scene_to_text, scene_to_bytes):
        with pytest.raises(TypeError, match=type(value).__name__):
            written({"limit": value})


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_no_number_is_infinite(value: float) -> None:
    """JSON has no word for it, so a browser would refuse the whole scene."""
    for written in (scene_to_text, scene_to_bytes):
        with pytest.raises(ValueError, match="not JSON compliant"):
            written({"limit": value})
