"""Files that mean harm, or are only broken, are refused with a sentence before anything large
is read, and nothing in them is run.
"""

from __future__ import annotations

import ast
import io
import pickle
import tracemalloc
import zipfile
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import AttentionError, FileError, ShapeError
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES, open_weights
from attention_lab.user_data.layer_search import find_layers, read_layer
from attention_lab.user_data.user_matrices import read_matrices
from tests.lab.hostile_files import CSV, HEAD, LIMITED, MATRICES, MISSHAPEN, WEIGHTS, Cases
from tests.lab.hostile_files import WHOLE as MATRIX_FILE
from tests.lab.made_files import RAN, Harm, archive, head, npy, npz, safetensors
from tests.lab.refusal import refused

LAYER = {
    f"{kind}_{x}": np.ones((4, 4) if kind == "w" else 4, np.float32)
    for kind in "wb"
    for x in "qkvo"
}
WHOLE = {"m.safetensors": safetensors(LAYER), "m.npz": npz(LAYER)}


def use(data: bytes, name: str) -> None:
    """Everything a page does with a file of weights."""
    file = open_weights(io.BytesIO(data), name)
    for layer in find_layers(file):
        read_layer(file, layer, layer.likely_heads)


@pytest.mark.parametrize("fault", WEIGHTS)
def test_weights_are_refused_with_a_sentence(fault: str) -> None:
    name, make, facts = WEIGHTS[fault]
    with refused(FileError, *facts, *([4096] if fault in LIMITED else [])) as caught:
        use(make(), name)
    assert len(str(caught.value)) < 500
    assert RAN == []


@pytest.mark.parametrize(
    ("cases", "name", "fault"),
    [
        (cases, name, fault)
        for cases, name in ((MATRICES, "matrices.npz"), (CSV, "w_q.csv"))
        for fault in cases
    ],
)
def test_matrices_are_refused_with_a_sentence(cases: Cases, name: str, fault: str) -> None:
    make, facts = cases[fault]
    kind = ShapeError if fault in MISSHAPEN else FileError
    with refused(kind, *facts, *([64] if fault in LIMITED else [])):
        read_matrices(make(), name)
    assert RAN == []


def test_the_pickle_would_have_run() -> None:
    pickle.loads(pickle.dumps(Harm()))
    assert RAN == ["harm"]
    RAN.clear()


@pytest.mark.parametrize(
    "fault", ["a zip bomb", "more numbers than bytes", "10,000 tensors", "a huge header"]
)
def test_it_is_refused_before_it_is_read(fault: str) -> None:
    """What would need much memory is refused with little: 30 MB, most of it the header of
    10,000 names.
    """
    name, make, _ = WEIGHTS[fault]
    data = make()
    tracemalloc.start()
    with pytest.raises(FileError):
        use(data, name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000 + len(data)


def test_sizes_are_checked_before_numbers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read, lengths = zipfile.ZipExtFile.read, []

    def counted(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        lengths.append(n)
        return read(self, n)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    with refused(ShapeError, "W_Q", 600, 512, 2048):
        read_matrices(npz({"W_Q": np.ones((600, 600))}), "matrices.npz")
    assert all(n is not None and 0 <= n < 4096 for n in lengths)


def test_a_nan_that_signals_is_refused_without_a_warning() -> None:
    signals = np.full((2, 2), 0x7F800001, "u4").view("f4")
    with refused(FileError, "W_Q", "nan", "row 0", "column 0"):
        read_matrices(npz({"W_Q": signals}), "matrices.npz")


@pytest.mark.parametrize("name", WHOLE)
def test_every_shorter_file_is_refused(name: str) -> None:
    for length in range(len(WHOLE[name])):
        with pytest.raises(FileError):
            use(WHOLE[name][:length], name)


def compressed() -> bytes:
    """Matrices in a compressed archive, one of them in the other order, and a text."""
    packed, matrix = io.BytesIO(), np.asfortranarray(np.ones((3, 4)))
    np.savez_compressed(packed, X=np.eye(3), W_Q=matrix, other=np.array(["text"]))
    return packed.getvalue()


FILES = [
    *((use, data, name) for name, data in WHOLE.items()),
    *((read_matrices, data, "m.npz") for data in (MATRIX_FILE, compressed())),
    *((read_matrices, data, "w_q.csv") for data in (b"W_Q\n1;2,5\n-3;4e1\n", b'"1",2\n3,4\n')),
]


@settings(max_examples=500)
@given(st.sampled_from(FILES), st.data())
def test_damaged_files_never_crash(file: tuple[Any, bytes, str], data: st.DataObject) -> None:
    """Bytes are changed, added or left out."""
    read, whole, name = file
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 1))] = data.draw(st.binary(max_size=1))
    with suppress(AttentionError):
        read(bytes(content), name)


@given(
    st.text("(),<>|=f8iUOVS[]{}'\\ *0-L:_\u00b2", max_size=12),
    st.sampled_from([b"\1\0", b"\2\0", b"\3\0"]),
    st.integers(-1, 50),
)
def test_the_text_of_a_header_never_crashes(text: str, version: bytes, place: int) -> None:
    """Neither as the type nor at a place of the header, in every reader of arrays."""
    header = head("(2, 3)", repr(text))
    if place >= 0:
        header = HEAD[:place] + text + HEAD[place:]
    array = npy(header.encode("utf-8" if version == b"\3\0" else "latin-1"), bytes(48), version)
    for read in (use, read_matrices):
        with suppress(AttentionError):
            read(archive({"W_Q.npy": array}), "m.npz")


@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"PK\x03\x04", b"\x30\x00\x00\x00\x00\x00\x00\x00{"]),
)
def test_any_bytes_are_refused(content: bytes, start: bytes) -> None:
    with pytest.raises(FileError):
        use(start + content, "m.npz")


@pytest.mark.parametrize("kind", WHOLE)
def test_the_first_bytes_decide(kind: str) -> None:
    for name in ("model.bin", "model.pt", "model"):
        assert len(open_weights(io.BytesIO(WHOLE[kind]), name).shapes) == len(LAYER)


@pytest.mark.parametrize("kind", ["xlsx", "npy", "", "npz.exe"])
def test_matrices_of_other_kinds(kind: str) -> None:
    with refused(FileError, f"'matrices.{kind}'", ".npz", ".csv"):
        read_matrices(MATRIX_FILE, f"matrices.{kind}")


@pytest.mark.parametrize("name", ["", ".", "..", "/", ".pt", "a.pt/", "a/../.."])
def test_pickles_of_any_name_are_refused(name: str) -> None:
    with refused(FileError, "torch.load", "safetensors.torch"):
        open_weights(io.BytesIO(b"\x80pickle"), name)


@pytest.mark.parametrize("name", ["x" * 5000 + ".pt", "a\nimport os.pt", "\ud800.pt"])
def test_a_name_that_cannot_be_printed(name: str) -> None:
    """A name as long as a file, or one that would begin a line of its own, is not repeated."""
    with refused(FileError, "name", 256) as caught:
        open_weights(io.BytesIO(b""), name)
    assert len(str(caught.value)) < 200


def test_quotes_in_a_name_do_not_end_it() -> None:
    with pytest.raises(FileError) as caught:
        open_weights(io.BytesIO(b""), 'a"+"b.pt')
    line = ast.parse(str(caught.value).split("\n")[-1])
    texts = {node.value for node in ast.walk(line) if isinstance(node, ast.Constant)}
    assert texts == {'a"+"b.safetensors', 'a"+"b.pt', True}


class Endless(io.BytesIO):
    """A file that says it is larger than any that is read."""

    def seek(self, offset: int, whence: int = 0) -> int:
        return MAX_WEIGHT_BYTES + 1 if whence == 2 else super().seek(offset, whence)

    def read(self, size: int | None = -1) -> bytes:
        raise AssertionError("it was read before its size was looked at")


def test_a_file_that_is_too_large() -> None:
    with refused(FileError, 600000001, 600000000):
        open_weights(Endless(), "m.safetensors")


@pytest.mark.parametrize("write", [safetensors, npz])
@pytest.mark.parametrize(
    ("bad", "shown"),
    [(np.nan, "nan"), (np.inf, "inf"), (1e39, "1e+39"), (-1_000_001.0, "-1000001.0")],
)
def test_numbers_beyond_the_limit(bad: float, shown: str, write: object) -> None:
    weights = {name: array.astype(float) for name, array in LAYER.items()}
    weights["w_k"][2, 3] = 1e6
    use(write(weights), "m.npz")
    weights["w_k"][2, 3] = bad
    with refused(FileError, "w_k", shown, "row 2", "column 3", -1_000_000, 1_000_000):
        use(write(weights), "m.npz")


@pytest.mark.parametrize("kind", ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8"])
def test_numbers_are_kept_in_as_many_bytes_as_the_limits_count(kind: str) -> None:
    array = np.array([[0.5, -2.0, 3.0], [0.25, 7.0, -11.0]], kind)
    file = open_weights(io.BytesIO(npz({"w": array})), "weights.npz")
    read = file.read("w")
    assert read.dtype == (np.float64 if kind.endswith("8") else np.float32)
    assert read.nbytes == file.n_bytes("w")
    assert np.array_equal(read, array)
