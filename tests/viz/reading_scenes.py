"""How the tests read a scene: what a byte string or a JSON text holds, and the numbers of an
array.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from attention_viz.payload import JSON
from attention_viz.scene_formats import scene_to_bytes, scene_to_text
from tests.viz.reading_figures import refuse

PARTS = ("data", "masked", "hatched", "changed", "pale")
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "relu": lambda x: max(x, 0.0),
    "tanh": math.tanh,
    "gelu": lambda x: x * NormalDist().cdf(x),
    "silu": lambda x: x / (1 + math.exp(-x)),
}


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
    found[flags(array, "masked")] = -np.inf
    return found


def sent(scene: JSON, name: str) -> np.ndarray:
    """The numbers of one of the arrays of a scene."""
    return numbers(scene["arrays"][name])


def flags(array: JSON, name: str) -> np.ndarray:
    """Which cells of an array are flagged."""
    if name not in array:
        return np.zeros(array["shape"], dtype=bool)
    bits = np.unpackbits(np.frombuffer(array[name], "u1"), bitorder="little")
    return bits[: math.prod(array["shape"])].reshape(array["shape"]).astype(bool)


def worked_out(scene: JSON, name: str, index: tuple[int, ...]) -> float:
    """A cell by its rule and the numbers of the scene alone, written without the modules under
    test.
    """
    rule = scene["rules"][name]
    operation = rule["operation"]

    def position(p: JSON, k: int) -> int:
        total: int = p.get("plus", 0)
        total += sum((k if axis == -1 else index[axis]) * times for axis, times in p["parts"])
        total //= p.get("over", 1)
        return total % p["modulo"] if p.get("modulo") else total

    def number(r: JSON, k: int) -> float:
        start = scene["arrays"][r["array"]].get("start", [0] * 9)
        places = (position(p, k) - s for p, s in zip(r["at"], start, strict=False))
        return float(sent(scene, r["array"])[tuple(places)])

    if operation == "difference":
        first, second = (number(r, 0) for r in rule["reads"])
        return first if math.isinf(first) else first - second
    terms = [math.prod(number(r, k) for r in rule["reads"]) for k in range(rule["length"])]
    if operation == "softmax":
        own, top = position(rule["position"], 0), max(terms)
        if math.isinf(top):
            return 0.0
        every = [*terms, *(number(r, 0) for r in rule.get("adds", []))]  # a sink is one more
        return math.exp(terms[own] - top) / sum(math.exp(t - top) for t in every)
    if operation == "norm":
        own, added = position(rule["position"], 0), [number(r, 0) for r in rule["adds"]]
        mean = sum(terms) / len(terms) if rule.get("centred") else 0.0
        squares = sum((term - mean) ** 2 for term in terms) / len(terms)
        offset = added[1] if rule.get("centred") else 0.0
        root = math.sqrt(squares + rule.get("epsilon", 0.0))
        return (terms[own] - mean) / root * added[0] + offset
    if operation in FUNCTIONS:
        return FUNCTIONS[operation](terms[0])
    if operation == "softcap":
        return rule["softcap"] * math.tanh(terms[0] / rule["softcap"])
    if operation == "mask" and np.isneginf(sent(scene, name)[index]):
        return -math.inf
    return sum(terms) + sum(number(r, 0) for r in rule.get("adds", []))


def _opened(text: str | bytes, part: Callable[[Any], bytes]) -> JSON:
    scene: JSON = json.loads(text, parse_constant=refuse)
    for array in scene["arrays"].values():
        array |= {name: part(array[name]) for name in PARTS if name in array}
    return scene
