"""Safetensors files that mean harm or are broken, and the facts that refusing each must name."""

from __future__ import annotations

import struct

import numpy as np

from tests.lab.made_weight_files import Corpus, W, safetensors, tensor, with_header

LLAMA = {f"{letter}_proj.weight": np.eye(2, dtype=np.float32) for letter in "qkvo"}
GOOD = safetensors({"w": W})
ENTRY = tensor([2, 3], 0, 24)
HOSTILE_SAFETENSORS: Corpus = {
    "a header beyond the file": (
        lambda: struct.pack("<Q", 2**63) + b"{}",
        ("safetensors", 2**63, 10),
    ),
    "a huge header": (
        lambda: with_header(b"{" + b" " * 2**23 + b"}"),
        ("safetensors", 8_388_610, 4_194_304),
    ),
    "no JSON": (lambda: with_header(b"{x}"), ("safetensors", "JSON")),
    "no UTF-8": (lambda: with_header(b'{"\xff": 1}'), ("safetensors", "JSON")),
    "deep JSON": (lambda: with_header(b'{"a": ' + b"[" * 100_000), ("safetensors", "JSON")),
    "a name twice": (lambda: with_header(b'{"w": 1, "w": 2}'), ("safetensors", "header")),
    "no table": (lambda: with_header({"w": [1]}), ("w", "dtype")),
    "too many keys": (lambda: with_header({"w": ENTRY | {"x": 1}}, bytes(24)), ("w", "dtype")),
    "metadata of numbers": (
        lambda: with_header({"__metadata__": {"a": 1}}),
        ("safetensors", "metadata"),
    ),
    "an unknown type": (
        lambda: with_header({"w": tensor([1], 0, 1, "F8_E4M3")}, b"x"),
        ("w", "F8_E4M3", "F32"),
    ),
    "a type that is a list": (
        lambda: with_header({"w": tensor([1], 0, 4, [])}, bytes(4)),
        ("w", "[]", "F32"),
    ),
    "a negative shape": (
        lambda: with_header({"w": tensor([-2, -3], 0, 24)}, bytes(24)),
        ("w", "[-2, -3]"),
    ),
    "a fraction of a shape": (
        lambda: with_header({"w": tensor([2.0, 3], 0, 24)}, bytes(24)),
        ("w", "[2.0, 3]"),
    ),
    "True as a size": (
        lambda: with_header({"w": tensor([True, 6], 0, 24)}, bytes(24)),
        ("w", "[True, 6]"),
    ),
    "nine axes": (
        lambda: with_header({"w": tensor([1] * 9, 0, 4)}, bytes(4)),
        ("w", "[1, 1, 1, 1, 1, 1, 1, 1, 1]"),
    ),
    "an endless size": (
        lambda: with_header({"w": tensor([10**30], 0, 24)}, bytes(24)),
        ("w", "[1000000000000000000000000000000]"),
    ),
    "more numbers than bytes": (
        lambda: with_header({"w": tensor([2**40], 0, 24)}, bytes(24)),
        ("w", 4_398_046_511_104, 24),
    ),
    "negative offsets": (
        lambda: with_header({"w": tensor([2, 3], -24, 0)}, bytes(24)),
        ("w", "offsets", "[-24, 0]"),
    ),
    "offsets the wrong way": (
        lambda: with_header({"w": tensor([0], 24, 0)}, bytes(24)),
        ("w", "(0,)", 0, -24),
    ),
    "three offsets": (
        lambda: with_header({"w": ENTRY | {"data_offsets": [0, 1, 2]}}, bytes(24)),
        ("w", "offsets", "[0, 1, 2]"),
    ),
    "overlapping offsets": (
        lambda: with_header({"a": tensor([2], 0, 8), "b": tensor([2], 4, 12)}, bytes(12)),
        ("'b'", "safetensors"),
    ),
    "a gap": (lambda: with_header({"a": tensor([2], 4, 12)}, bytes(12)), ("'a'", "gap")),
    "cut off": (lambda: GOOD[:-1], (24, 23)),
    "something behind": (lambda: GOOD + b"x", (24, 25)),
    "an empty array beyond NumPy": (
        lambda: with_header({"w": tensor([0, 2**62, 2**62], 0, 0)}),
        ("w", "shape"),
    ),
    "a type as long as the file": (
        lambda: with_header({"w": tensor([1], 0, 4, "x" * 10**6)}, bytes(4)),
        ("w", "F32"),
    ),
    "a name of 5,000 digits": (
        lambda: safetensors({f"{'9' * 5000}.{name}": array for name, array in LLAMA.items()}),
        (256, "9" * 40),
    ),
    "half a character in a name": (lambda: safetensors({"\ud800": W}), (256, "\\ud800")),
    "an endless bias": (
        lambda: safetensors(LLAMA | {"q_proj.bias": np.zeros(98_305, "f4")}),
        ("q_proj.bias", "(98305,)", 98_304),
    ),
    "10,000 tensors": (
        lambda: with_header({f"w{n}": tensor([0], 0, 0) for n in range(10_000)}),
        (10_000, 4096),
    ),
}
