"""A file of weights by its path."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attention_core import AttentionError
from attention_lab.files.weight_formats import open_weights


def test_weights_are_opened_by_their_path(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", w_q=np.eye(3))
    weights = open_weights(tmp_path / "w.npz")
    assert weights.read("w_q").shape == (3, 3)
    assert open_weights(str(tmp_path / "w.npz")).shapes == {"w_q": (3, 3)}


@pytest.mark.parametrize("name", ["missing.npz", "a\0b", "."])
def test_a_path_that_cannot_be_opened_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(AttentionError, match="cannot be opened"):
        open_weights(tmp_path / name)
