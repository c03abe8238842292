"""Arrays of an .npz file: which numbers come out, and in how many bytes."""

from __future__ import annotations

import io

import numpy as np
import pytest

from attention_lab.files.weight_formats import open_weights
from tests.lab.made_weight_files import npz


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("kind", "kept"), [("f2", np.float32), ("f4", np.float32), ("f8", np.float64)]
)
def test_numbers_are_kept_in_as_many_bytes_as_the_limits_count(
    order: str, kind: str, kept: type
) -> None:
    array = np.array([[0.5, -2.0, 3.0], [0.25, 7.0, -11.0]], order + kind)
    file = open_weights(io.BytesIO(npz({"w": array})), "weights.npz")
    read = file.read("w")
    assert read.dtype == kept
    assert read.nbytes == file.n_bytes("w")
    assert np.array_equal(read, array)
