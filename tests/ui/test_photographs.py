"""Photographs stand upright, and large ones are decoded at a fraction of their size."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from attention_ui.labs.picture_upload import read_any_picture
from tests.ui.picturing import (
    GREYS,
    QUARTERS,
    exif_of,
    written,
)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(
    ("way", "corners"),
    list(
        enumerate(["1234", "2143", "4321", "3412", "1324", "3142", "4231", "2413", "1234"], start=1)
    ),
)
def test_photographs_stand_upright(way: int, corners: str, order: str) -> None:
    lies = exif_of(way, order)
    for data, name in (
        (written(QUARTERS, "JPEG", quality=100, exif=lies), "a.jpg"),
        (written(QUARTERS, "PNG", exif=lies), "a.png"),
    ):
        seen = read_any_picture(data, name)[[0, 0, 31, 31], [0, 31, 0, 31]]
        assert "".join(str(round(5 * grey)) for grey in seen) == corners


def test_a_turned_picture_changes_its_sides() -> None:
    wide = read_any_picture(written(GREYS, "PNG", exif=exif_of(6)), "a.png")
    assert wide.tolist() == [[0.6, 0.0], [0.8, 0.2], [1.0, 0.4]]


@pytest.mark.parametrize(("width", "height"), [(1025, 700), (1500, 2100), (4096, 3072), (4096, 3)])
@pytest.mark.parametrize("progressive", [False, True])
def test_photographs(width: int, height: int, progressive: bool) -> None:
    ramp = Image.linear_gradient("L").rotate(90 if width > height else 0)
    small = read_any_picture(
        written(ramp.resize((width, height)), "JPEG", progressive=progressive), "a.jpg"
    )
    assert max(small.shape) <= 1024 or min(small.shape) == 2
    whole = np.asarray(ramp.resize(small.shape[::-1])) / 255
    np.testing.assert_allclose(small, whole, atol=0.02)
