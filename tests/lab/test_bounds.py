"""What is read up to a bound is read at the bound, and refused one beyond it."""

from __future__ import annotations

import io

import numpy as np
import pytest

from attention_core import FileError
from attention_lab.files.weight_formats import MAX_HEADER_BYTES, open_weights
from attention_lab.trained import head_finder
from attention_lab.trained.attention_maps import AttentionMaps
from tests.lab.made_files import npz, with_header


def test_a_header_of_a_file_of_weights() -> None:
    header = b"{" + b" " * (MAX_HEADER_BYTES - 2) + b"}"
    assert open_weights(io.BytesIO(with_header(header)), "w.safetensors").shapes == {}
    with pytest.raises(FileError, match=f"{MAX_HEADER_BYTES + 1:,}"):
        open_weights(io.BytesIO(with_header(header + b" ")), "w.safetensors")


def test_the_labels_of_a_file_of_weights() -> None:
    longest = MAX_HEADER_BYTES // 4  # characters, of 4 bytes each
    for length in (longest, longest + 1):
        data = npz({"tokens": np.array(["a" * length]), "w": np.zeros(2)})
        file = open_weights(io.BytesIO(data), "w.npz")
        if length == longest:
            assert file.labels == ("a" * longest,)
        else:
            with pytest.raises(FileError, match=f"{4 * length:,}"):
                _ = file.labels


def test_heads_have_captions_up_to_a_number_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = AttentionMaps.of([np.full((2, 3, 3), 1 / 3)] * 5)
    for most, n_captions in ((5 * 2 * 3 * 3, 2), (5 * 2 * 3 * 3 - 1, 0)):
        monkeypatch.setattr(head_finder, "MAX_CAPTIONED_CELLS", most)
        assert [len(layer) for layer in head_finder.head_captions(maps)] == [n_captions] * 5
