"""Files that mean harm, or are only broken, are refused with a sentence before anything large
is read.
"""

from __future__ import annotations

import ast
import io
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import AttentionError, FileError
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES, open_weights
from attention_lab.labs.picture_file import read_picture
from attention_lab.user_data.layer_search import find_layers, read_layer
from attention_lab.user_data.user_matrices import read_matrices
from tests.lab.hostile_weight_files import HOSTILE
from tests.lab.made_weight_files import npz, safetensors
from tests.lab.refusal import refused

LAYER = {
    f"{kind}_{x}": np.ones((4, 4) if kind == "w" else 4, np.float32)
    for kind in "wb"
    for x in "qkvo"
}
WHOLE = {"m.safetensors": safetensors(LAYER), "m.npz": npz(LAYER)}


def use(data: bytes, name: str) -> None:
    """Everything a page does with a file."""
    file = open_weights(io.BytesIO(data), name)
    for layer in find_layers(file):
        read_layer(file, layer, layer.likely_heads)


@pytest.mark.parametrize("fault", HOSTILE)
def test_it_is_refused_with_a_sentence(fault: str) -> None:
    name, make, facts = HOSTILE[fault]
    with refused(FileError, *facts) as caught:
        use(make(), name)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "fault", ["a zip bomb", "more numbers than bytes", "10,000 tensors", "a huge header"]
)
def test_it_is_refused_before_it_is_read(fault: str) -> None:
    """What would need much memory is refused with little: 30 MB, most of it the header of
    10,000 names.
    """
    name, make, _ = HOSTILE[fault]
    data = make()
    tracemalloc.start()
    with pytest.raises(FileError):
        use(data, name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000 + len(data)


def test_a_nan_that_signals_is_refused_without_a_warning() -> None:
    signals = np.full((2, 2), 0x7F800001, "u4").view("f4")
    saved = io.BytesIO()
    np.save(saved, signals)
    with refused(FileError, "W_Q", "nan", "row 0", "column 0"):
        read_matrices(npz({"W_Q": signals}), "matrices.npz")
    with refused(FileError, "finite"):
        read_picture(saved.getvalue(), "picture.npy")


@pytest.mark.parametrize("name", WHOLE)
def test_every_shorter_file_is_refused(name: str) -> None:
    for length in range(len(WHOLE[name])):
        with pytest.raises(FileError):
            use(WHOLE[name][:length], name)


@given(st.sampled_from(list(WHOLE)), st.data())
def test_changed_bytes_never_crash(name: str, data: st.DataObject) -> None:
    content = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(AttentionError):
        use(bytes(content), name)


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


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("write", [safetensors, npz])
def test_numbers_that_are_none(bad: float, write: object) -> None:
    weights = LAYER | {"w_k": np.full((4, 4), bad, np.float32)}
    with refused(FileError, "w_k"):
        use(write(weights), "m.npz")


@pytest.mark.parametrize(("bad", "said"), [(1e39, "1e+39"), (-1_000_001.0, "-1000001.0")])
def test_numbers_beyond_the_limit(bad: float, said: str) -> None:
    weights = {name: array.astype(float) for name, array in LAYER.items()}
    weights["w_k"][2, 3] = 1e6
    use(npz(weights), "m.npz")
    weights["w_k"][2, 3] = bad
    with refused(FileError, "w_k", said, "row 2", "column 3", -1_000_000, 1_000_000):
        use(npz(weights), "m.npz")
