"""What is read up to a bound is read at the bound, and refused one beyond it."""

from __future__ import annotations

import io

import numpy as np
import pytest

from attention_core import FileError, SettingsError, TextError
from attention_lab.files.csv_numbers import MAX_LINE_LENGTH, csv_lines
from attention_lab.files.file_checks import check_length
from attention_lab.files.weight_formats import MAX_HEADER_BYTES, open_weights
from attention_lab.labs.images import MAX_KERNEL_NUMBER, as_kernel
from attention_lab.trained import attention_maps, head_finder
from attention_lab.trained.attention_maps import AttentionMaps, read_maps
from tests.lab.made_files import npz, with_header


def test_the_characters_of_a_text() -> None:
    check_length("a" * 1_000, 1_000)
    with pytest.raises(TextError, match="1,001"):
        check_length("a" * 1_001, 1_000)


def test_a_header_of_a_file_of_weights() -> None:
    header = b"{" + b" " * (MAX_HEADER_BYTES - 2) + b"}"
    assert open_weights(io.BytesIO(with_header(header)), "w.safetensors").shapes == {}
    with pytest.raises(FileError, match=f"{MAX_HEADER_BYTES + 1:,}"):
        open_weights(io.BytesIO(with_header(header + b" ")), "w.safetensors")


def test_the_labels_of_a_file_of_weights() -> None:
    longest = MAX_HEADER_BYTES // 4  # characters, of 4 bytes each
    fits, too_long = (
        open_weights(io.BytesIO(npz({"tokens": np.array(["a" * n]), "w": np.zeros(2)})), "w.npz")
        for n in (longest, longest + 1)
    )
    assert fits.labels == ("a" * longest,)
    with pytest.raises(FileError, match=f"{4 * longest + 4:,}"):
        _ = too_long.labels


def test_heads_have_captions_up_to_a_number_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = AttentionMaps.of([np.full((2, 3, 3), 1 / 3)] * 5)
    for most, n_captions in ((5 * 2 * 3 * 3, 2), (5 * 2 * 3 * 3 - 1, 0)):
        monkeypatch.setattr(head_finder, "MAX_CAPTIONED_CELLS", most)
        assert [len(layer) for layer in head_finder.head_captions(maps)] == [n_captions] * 5


def test_the_length_of_a_line_of_a_table() -> None:
    longest = b"1," * (MAX_LINE_LENGTH // 2 - 1) + b"11"
    assert len(longest) == MAX_LINE_LENGTH
    assert csv_lines(longest) == [(1, longest.decode())]
    with pytest.raises(FileError, match=f"{MAX_LINE_LENGTH + 1:,}"):
        csv_lines(longest + b"1")


def test_the_attention_weights_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    data = npz({"attentions": np.full((2, 3, 4, 4), 1 / 4)})
    monkeypatch.setattr(attention_maps, "MAX_SHARES", 96)
    assert read_maps(open_weights(io.BytesIO(data), "a.npz")).sizes["L"] == 2
    monkeypatch.setattr(attention_maps, "MAX_SHARES", 95)
    with pytest.raises(FileError, match="96"):
        read_maps(open_weights(io.BytesIO(data), "a.npz"))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_of_a_kernel(sign: int) -> None:
    rows = [[0.0, 0.0, 0.0], [0.0, sign * MAX_KERNEL_NUMBER, 0.0], [0.0, 0.0, 0.0]]
    assert as_kernel(rows)[1, 1].item() == sign * MAX_KERNEL_NUMBER
    rows[1][1] = sign * float(np.nextafter(MAX_KERNEL_NUMBER, np.inf))
    with pytest.raises(SettingsError, match="row 2, column 2"):
        as_kernel(rows)
