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
def test_one_array_per_layer(wrap: Any) -> None:
    given = shares(L, 1, H, T, T)
    maps = AttentionMaps.of([wrap(layer) for layer in given], TOKENS)
    assert maps.sizes == {"L": L, "H": H, "T": T, "S": T}
    assert maps.tokens == maps.memory_tokens == TOKENS
    assert np.array_equal(maps.layers[1], given[1, 0])


@pytest.mark.parametrize("wrap", [np.asarray, Tensor])
@pytest.mark.parametrize(
    ("dtype", "kept"), [("<f2", "f4"), (">f4", "f4"), ("<f8", "f8"), (">f8", "f8")]
)
def test_precision_is_kept(wrap: Any, dtype: str, kept: str) -> None:
    given = shares(H, T, T, dtype=np.float64).astype(dtype)
    layer = AttentionMaps.of([wrap(given)]).layers[0]
    assert layer.dtype == np.dtype(kept)
    assert layer.dtype.isnative
    assert np.array_equal(layer, given)


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


def test_labels_of_another_length() -> None:
    with refused(ShapeError, "tokens", 2, 5):
        AttentionMaps.of([shares(H, T, T)], ["a", "b"])


def test_rows_with_nothing_to_attend_to() -> None:
    layer = shares(H, T, T)
    layer[1, 2] = 0
    assert AttentionMaps.of([layer]).sizes["L"] == 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_array_of_all_layers_in_a_file(dtype: Any) -> None:
    given = shares(L, H, T, T, dtype=dtype)
    files = {
        "m.npz": npz({"attentions": given, "tokens": np.array(TOKENS)}),
        "m.safetensors": safetensors({"attentions": given}, {"tokens": json.dumps(TOKENS)}),
    }
    for name, content in files.items():
        maps = read_maps(open_weights(io.BytesIO(content), name))
        assert maps.tokens == TOKENS
        assert np.array_equal(np.stack(maps.layers), given)


def test_one_array_per_layer_in_a_file() -> None:
    given = {
        f"layer.{number}": shares(1, H, T, T) * (number + 1) / (number + 1) for number in (10, 9)
    }
    given["layer.9"] = given["layer.9"][..., ::-1].copy()
    maps = read_maps(
        open_weights(io.BytesIO(npz(given | {"tokens": np.array(TOKENS)})), "m.npz"), tuple("abcde")
    )
    assert maps.tokens == tuple("abcde")
    assert np.array_equal(maps.layers[0], given["layer.9"][0])


def test_labels_of_a_batch_of_one() -> None:
    words = np.array([TOKENS])
    assert (
        read_maps(
            open_weights(io.BytesIO(npz({"a": shares(L, H, T, T), "tokens": words})), "m")
        ).tokens
        == TOKENS
    )
    for other in (words.T, np.array("the")):
        file = open_weights(io.BytesIO(npz({"a": shares(L, H, T, T), "tokens": other})), "m")
        with refused(FileError, "tokens", str(other.shape)):
            read_maps(file)


@pytest.mark.parametrize("words", ["{}", "[1]", "[", "[" * 100_000])
def test_metadata_without_labels(words: str) -> None:
    file = open_weights(
        io.BytesIO(safetensors({"a": shares(L, H, T, T)}, {"tokens": words})), "m.safetensors"
    )
    with refused(FileError, "JSON"):
        read_maps(file)


def test_a_file_without_attention() -> None:
    with refused(FileError, "attention"):
        read_maps(open_weights(io.BytesIO(npz({"w": np.zeros((2, 3))})), "m.npz"))


def test_the_measures_of_heads_can_read_them() -> None:
    causal = attend(np.eye(T), Projections.random(T, 1), causal=True).probabilities[0]
    pattern = pattern_of_layer(AttentionMaps.of([causal, causal[:, :, :]]), 1)
    assert pattern.probabilities.shape == pattern.allowed.shape == (1, 1, T, T)
    assert pattern.allowed[0, 0].tolist() == np.tri(T, dtype=bool).tolist()
    assert pattern.scores is None
    assert pattern.in_order


def test_what_is_seen_is_looked_up_once() -> None:
    first, second = np.eye(T)[np.newaxis], np.eye(T)[np.newaxis, ::-1].copy()
    maps = AttentionMaps.of([first, second])
    allowed = [pattern_of_layer(maps, layer).allowed for layer in (0, 1)]
    assert np.array_equal(allowed[1][0, 0], (first + second)[0] > 0)
    assert np.shares_memory(*allowed)


def maps(**arrays: np.ndarray) -> bytes:
    """Attention tensors as NumPy writes them."""
    return npz({"a": np.ones((1, 1, 2, 1), np.float32)} | arrays)


NO_CHARACTERS = np.full(2, 0x110000, np.uint32).view("<U1")
LABELS = {
    "a number that is no character": (lambda: maps(tokens=NO_CHARACTERS), ("tokens",)),
    "half a character": (lambda: maps(tokens=np.array(["\ud800", "b"])), ("tokens", "surrogate")),
    "half a character in metadata": (
        lambda: safetensors(
            {"a": np.ones((1, 1, 2, 1), np.float32)}, {"tokens": '["\\ud800", "b"]'}
        ),
        ("tokens", "surrogate"),
    ),
    "labels of bytes": (lambda: maps(tokens=np.array([b"a", b"b"])), ("tokens", "x.astype(str)")),
    "megabytes of labels": (
        lambda: maps(tokens=np.zeros(2**21, "<U1")),
        ("tokens", 8_388_608, 4_194_304),
    ),
    "a million layers": (
        lambda: npz({"a": np.ones((10**6, 1, 1, 1), np.float32)}),
        (1_000_000, 1, 4096),
    ),
    "a million queries": (lambda: npz({"a": np.ones((1, 1, 10**6, 1), "i1")}), (1_000_000, 4096)),
    "4,097 queries": (lambda: npz({"a": np.ones((1, 1, 4097, 1), "i1")}), (4097, 4096)),
    "4,097 keys": (lambda: npz({"a": np.ones((1, 1, 4097), "i1")}), (4097, 4096)),
    "a million heads": (
        lambda: npz({"a": np.ones((10**6, 1, 1), np.float32)}),
        (1, 1_000_000, 4096),
    ),
}
EMPTY = {
    "layers without heads": (20_000_000, 0, 3, 3),
    "batches without heads": (20_000_000, 1, 0, 3, 3),
    "no layers": (0, 2, 3, 3),
    "heads without keys": (2, 3, 0),
}


@pytest.mark.parametrize("shape", EMPTY.values(), ids=list(EMPTY))
@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_empty_attention_is_refused_from_its_shape(shape: tuple[int, ...], kind: str) -> None:
    made = {
        "npz": archive({"a.npy": npy(head(f"{shape}"))}),
        "safetensors": with_header({"a": tensor([*shape], 0, 0)}),
    }
    file = open_weights(io.BytesIO(made[kind]), f"m.{kind}")
    tracemalloc.start()
    try:
        with refused(FileError, "'a'", str(shape), 1):
            read_maps(file)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("fault", LABELS)
def test_attention_that_cannot_be_shown(fault: str) -> None:
    make, facts = LABELS[fault]
    with refused(FileError, *facts):
        read_maps(open_weights(io.BytesIO(make()), "m.npz"))


def test_the_longest_attention_that_is_read() -> None:
    for shape in ((1, 1, 4096, 1), (1, 1, 1, 4096)):
        shares = np.full(shape, 1 / shape[-1], np.float32)
        assert (
            read_maps(open_weights(io.BytesIO(npz({"a": shares})), "m.npz")).layers[0].shape
            == shape[1:]
        )


def deflated(*shape: int) -> io.BytesIO:
    """Zeros that take a thousandth of their size."""
    file = io.BytesIO()
    np.savez_compressed(file, a=np.zeros(shape))
    return file


def test_a_small_file_that_unpacks_to_much() -> None:
    file = open_weights(deflated(2, 3, 2048, 2048), "m.npz")
    tracemalloc.start()
    try:
        with refused(FileError, 201326592, 160000000):
            read_maps(file)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_maps_beyond_the_limit() -> None:
    big = type("Big", (), {"shapes": {"a": (24, 16, 512, 512)}, "labels": ()})()
    with refused(FileError, 100663296, 33554432):
        read_maps(big)
