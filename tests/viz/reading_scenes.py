"""How the tests read a scene: what a byte string or a JSON text holds, and the numbers of an
array.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from attention_viz.payload import JSON
from attention_viz.scene_formats import scene_to_bytes, scene_to_text
from tests.viz.reading_figures import refuse

PARTS = ("data", "masked", "hatched", "changed")


def scene_of(message: bytes) -> JSON:
    """The scene of a byte string, as a browser reads it."""
    length = int.from_bytes(message[:4], "little")
    text, rest = message[4 : 4 + length], message[4 + length :]
    assert length % 4 == 0

    def part(place: list[int]) -> bytes:
        start, size = place
        assert start % 4 == 0 <= start <= start + size <= len(rest)
        return rest[start : start + size]

    return _opened(text, part)


def scene_of_text(text: str) -> JSON:
    """The scene of a hand-out's JSON text."""
    return _opened(text, base64.b64decode)


def written_and_read(scene: JSON) -> JSON:
    """A scene after its way to a browser, which is the same in both formats."""
    arrived = scene_of(scene_to_bytes(scene))
    assert arrived == scene_of_text(scene_to_text(scene))
    assert [list(array) for array in arrived["arrays"].values()] == [
        list(array) for array in scene["arrays"].values()
    ]
    return arrived


def numbers(array: JSON) -> np.ndarray:
    """The numbers of an array as a browser reads them."""
    found = np.frombuffer(array["data"], "<f4").reshape(array["shape"]).copy()
    if "masked" in array:
        flags = np.unpackbits(np.frombuffer(array["masked"], "u1"), bitorder="little")
        found[flags[: found.size].reshape(found.shape).astype(bool)] = -np.inf
    return found


def _opened(text: str | bytes, part: Callable[[Any], bytes]) -> JSON:
    scene: JSON = json.loads(text, parse_constant=refuse)
    for array in scene["arrays"].values():
        array |= {name: part(array[name]) for name in PARTS if name in array}
    return scene
