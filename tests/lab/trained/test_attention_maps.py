"""Probabilities from anywhere: our encoder, other programs, files, and hostile files of them."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import numpy as np
import pytest

from attention_core import FileError, Projections, ShapeError, attend, softmax
from attention_lab.files.weight_formats import open_weights
from attention_lab.trained.attention_maps import AttentionMaps, pattern_of_layer, read_maps
from attention_lab.trained.encoded_text import encoded
from tests.lab.made_files import archive, head, npy, npz, safetensors, tensor, with_header
from tests.lab.refusal import Facts, refused

L, H, T = 2, 3, 5
TOKENS = ("the", "cat", "##s", "sat", "<b>")


def shares(*shape: int, dtype: type[np.floating] = np.float32) -> np.ndarray:
    """Random probabilities; the last axis adds up to 1."""
    return softmax(np.random.default_rng(2).normal(size=shape)).astype(dtype)


BELOW = shares(H, T, T)
BELOW[2, 3] = [0.5, 0.5, 0.5, -0.5, 0]


def read(content: bytes, tokens: tuple[str, ...] = ()) -> AttentionMaps:
    """The attention in the bytes of a file."""
    return read_maps(open_weights(io.BytesIO(content), "file"), tokens)


class Tensor:
    """The parts of a PyTorch tensor that are used: with a gradient and on another device."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def detach(self) -> Tensor:
        return self

    cpu = detach

    @property
    def itemsize(self) -> int:
        return self.array.itemsize

    def float(self) -> np.ndarray:
        return self.array.astype(np.float32)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array


@pytest.mark.parametrize("wrap", [np.asarray, np.ndarray.tolist, Tensor])
@pytest.mark.parametrize(
    ("dtype", "kept"), [("<f2", "f4"), (">f4", "f4"), ("<f8", "f8"), (">f8", "f8")]
)
def test_one_array_per_layer(wrap: Any, dtype: str, kept: str) -> None:
    given = shares(L, 1, H, T, T, dtype=np.float64).astype(dtype)
    maps = AttentionMaps.of([wrap(layer) for layer in given], TOKENS)
    assert maps.sizes == {"L": L, "H": H, "T": T, "S": T}
    assert maps.tokens == maps.memory_tokens == TOKENS
    assert np.array_equal(maps.layers[1], given[1, 0])
    assert maps.layers[1].dtype == (np.float64 if wrap == np.ndarray.tolist else np.dtype(kept))
    assert maps.layers[1].dtype.isnative


def test_our_own_encoder() -> None:
    ours = encoded("The cat sat.")
    maps = AttentionMaps.of_traces(ours.traces)
    assert maps.tokens == ours.tokens == ("[CLS]", "the", "cat", "sat", ".", "[SEP]")
    for layer, trace in zip(maps.layers, ours.traces, strict=True):
        assert np.shares_memory(layer, trace.probabilities)


@pytest.mark.parametrize(
    ("layers", "facts"),
    [
        ([], ("layer",)),
        (None, ("None", "output_attentions=True")),
        ((shares(H, T, T), None), ("None", "output_attentions=True")),
        ([np.zeros((2, H, T, T))], ("layer 0", "(2, 3, 5, 5)")),
        ([shares(H, T, T), shares(H, T, 4)], ("(3, 5, 5)", "(3, 5, 4)")),
        ([np.zeros((H, 0, T))], (0,)),
        ([[["a"]]], ("layer 0",)),
        ([np.full((H, T, T), 0.3)], ("head 0", "query 0", "1.5", 1)),
        ([np.where(np.arange(T) < 2, 1.0, -1 / 3) * np.ones((H, T, T))], ("query 0", "-0.333", 0)),
        ([shares(H, T, T), BELOW], ("layer 1", "head 2", "query 3", "-0.5")),
        ([np.eye(T, dtype=bool)[np.newaxis]], ("layer 0", "bool", "float32")),
        ([np.full((H, T, T), np.nan)], ("layer 0", "nan")),
    ],
)
def test_other_arrays_than_attention_weights(layers: Any, facts: Facts) -> None:
    with refused(ShapeError, *facts):
        AttentionMaps.of(layers)


ONE = np.ones((1, 1, 2, 1), np.float32)
NO_CHARACTERS = np.full(2, 0x110000, np.uint32).view("<U1")
# What is wrong -> the arrays of a file, or its bytes, and what the sentence must hold.
REFUSED: dict[str, tuple[dict[str, np.ndarray] | bytes, Facts]] = {
    "no attention": ({"w": np.zeros((2, 3))}, ("attention",)),
    "labels as a column": ({"a": ONE, "tokens": np.array([["a"], ["b"]])}, ("tokens", "(2, 1)")),
    "one label": ({"a": ONE, "tokens": np.array("the")}, ("tokens", "()")),
    "no character": ({"a": ONE, "tokens": NO_CHARACTERS}, ("tokens",)),
    "half a character": ({"a": ONE, "tokens": np.array(["\ud800", "b"])}, ("tokens", "surrogate")),
    "half a character in metadata": (
        safetensors({"a": ONE}, {"tokens": '["\\ud800", "b"]'}),
        ("tokens", "surrogate"),
    ),
    "labels of bytes": ({"a": ONE, "tokens": np.array([b"a", b"b"])}, ("tokens", "x.astype(str)")),
    "long labels": ({"a": ONE, "tokens": np.zeros(2**21, "<U1")}, ("tokens", 2**23, 2**22)),
    **{
        f"metadata {words:.9}": (safetensors({"a": ONE}, {"tokens": words}), ("JSON",))
        for words in ("{}", "[1]", "[", "[" * 100_000)
    },
    "a million layers": ({"a": np.ones((10**6, 1, 1, 1), "f4")}, (1_000_000, 1, 4096)),
    "a million heads": ({"a": np.ones((10**6, 1, 1), "f4")}, (1, 1_000_000, 4096)),
    "4,097 queries": ({"a": np.ones((1, 1, 4097, 1), "i1")}, (4097, 4096)),
    "4,097 keys": ({"a": np.ones((1, 1, 4097), "i1")}, (4097, 4096)),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_files_that_are_refused(fault: str) -> None:
    content, facts = REFUSED[fault]
    with refused(FileError, *facts):
        read(content if isinstance(content, bytes) else npz(content))


@pytest.mark.parametrize(
    "shape", [(20_000_000, 0, 3, 3), (20_000_000, 1, 0, 3, 3), (0, 2, 3, 3), (2, 3, 0)]
)
@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_attention_is_refused_from_its_shape(shape: tuple[int, ...], kind: str) -> None:
    if kind == "npz":
        content = archive({"a.npy": npy(head(f"{shape}"))})
    else:
        content = with_header({"a": tensor([*shape], 0, 0)})
    expect_small_refusal(content, ("'a'", str(shape), 1))


def test_attention_that_is_small_in_the_file_and_large_in_memory_is_refused() -> None:
    zeros = io.BytesIO()
    np.savez_compressed(zeros, a=np.zeros((2, 3, 2048, 2048)))
    expect_small_refusal(zeros.getvalue(), (201326592, 160000000))


def expect_small_refusal(content: bytes, facts: Facts) -> None:
    """A file is refused before its arrays take memory."""
    file = open_weights(io.BytesIO(content), "file")
    tracemalloc.start()
    try:
        with refused(FileError, *facts):
            read_maps(file)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_maps_beyond_the_limit() -> None:
    big = type("Big", (), {"shapes": {"a": (24, 16, 512, 512)}, "labels": ()})()
    with refused(FileError, 100663296, 33554432):
        read_maps(big)


@pytest.mark.parametrize("shape", [(1, 1, 4096, 1), (1, 1, 1, 4096)])
def test_the_longest_attention_that_is_read(shape: tuple[int, ...]) -> None:
    maps = read(npz({"a": np.full(shape, 1 / shape[-1], np.float32)}))
    assert maps.layers[0].shape == shape[1:]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_array_of_all_layers_in_a_file(dtype: Any) -> None:
    given = shares(L, H, T, T, dtype=dtype)
    for content in (
        npz({"a": given, "tokens": np.array(TOKENS)}),
        npz({"a": given, "tokens": np.array([TOKENS])}),
        safetensors({"a": given}, {"tokens": json.dumps(TOKENS)}),
    ):
        maps = read(content)
        assert maps.tokens == TOKENS
        assert np.array_equal(np.stack(maps.layers), given)


def test_one_array_per_layer_in_a_file() -> None:
    tenth, ninth = shares(2, 1, H, T, T)
    tenth[0, 1, 2] = 0  # a row with nothing to attend to
    content = npz({"layer.10": tenth, "layer.9": ninth, "tokens": np.array(TOKENS)})
    maps = read(content, tuple("abcde"))
    assert maps.tokens == tuple("abcde")
    assert np.array_equal(np.stack(maps.layers), [ninth[0], tenth[0]])
    with refused(ShapeError, "tokens", 2, 5):
        read(content, ("a", "b"))


def test_the_measures_of_heads_can_read_them() -> None:
    causal = attend(np.eye(T), Projections.random(T, 1), causal=True).probabilities[0]
    maps = AttentionMaps.of([np.eye(T)[np.newaxis], causal])
    patterns = [pattern_of_layer(maps, layer) for layer in (0, 1)]
    for pattern in patterns:
        assert pattern.probabilities.shape == pattern.allowed.shape == (1, 1, T, T)
        assert pattern.allowed[0, 0].tolist() == np.tri(T, dtype=bool).tolist()
        assert pattern.scores is None
        assert pattern.in_order
    assert np.shares_memory(patterns[0].allowed, patterns[1].allowed)
