"""A scene that is written out and read again is the same one, whatever its texts hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_viz import story
from attention_viz.payload import Stage, float_bytes, pack_bits
from attention_viz.scene_formats import scene_to_bytes, scene_to_text
from tests.viz.example_traces import HOSTILE, example
from tests.viz.reading_scenes import scene_of, scene_of_text

AWKWARD = (
    *HOSTILE,
    "</script>",
    "<!--",
    "\"'\\",
    "\u202eabc",
    "👩‍🚀",
    "\u2028\u2029",
    "\x00\x1f",
    "\ufeff",
    "\ud800",
    "a\udfff",
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


def test_the_text_of_a_small_scene() -> None:
    assert (
        scene_to_text({"arrays": {"a": {"data": float_bytes(np.array([1.0, -2.5]))}}, "cell": None})
        == '{"arrays": {"a": {"data": "AACAPwAAIMA="}}, "cell": null}'
    )


def test_masked_cells_arrive_as_bits() -> None:
    trace = example("causal")
    array = scene_of(scene_to_bytes(story.mask_board(Stage(trace), (1, 2, 1))))["arrays"][
        "masked_scores"
    ]
    flags = np.unpackbits(np.frombuffer(array["masked"], "u1"), bitorder="little")[
        : trace.hidden.size
    ]
    np.testing.assert_array_equal(flags.reshape(trace.hidden.shape), trace.hidden)
    found = np.frombuffer(array["data"], "<f4").reshape(trace.hidden.shape)
    np.testing.assert_array_equal(
        found, np.where(trace.hidden, 0, trace.masked_scores).astype("f4")
    )


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
