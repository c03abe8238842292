"""Hostile files of attention weights are refused from their sizes, before any number is read."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest

from attention_core import FileError
from attention_lab.files.weight_formats import open_weights
from attention_lab.trained.attention_maps import read_maps
from tests.lab.made_files import archive, head, npy, npz, safetensors, tensor, with_header
from tests.lab.refusal import refused


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


def test_labels_of_bytes_as_the_sentence_says() -> None:
    file = open_weights(io.BytesIO(maps(tokens=np.array([b"a", b"b"]).astype(str))), "m.npz")
    assert read_maps(file).tokens == ("a", "b")


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
    assert read_maps(open_weights(deflated(6, 12, 512, 512), "m.npz")).sizes["L"] == 6


def test_maps_beyond_the_limit() -> None:
    big = type("Big", (), {"shapes": {"a": (24, 16, 512, 512)}, "labels": ()})()
    with refused(FileError, 100663296, 33554432):
        read_maps(big)
