"""Pictures and kernels: the examples, typed kernels, shrinking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_core import SettingsError, ShapeError
from attention_lab.labs.images import IMAGES, KERNELS, as_kernel, shrink_image
from tests.lab.refusal import Facts, refused


def test_presets() -> None:
    for image in IMAGES.values():
        assert image.shape == (8, 8)
        assert (image.min(), image.max()) == (0, pytest.approx(1, abs=0.3))
        assert not image.flags.writeable
    sums = {name: float(np.sum(kernel)) for name, kernel in KERNELS.items()}
    expected = {
        "Sobel x": 0,
        "Sobel y": 0,
        "Laplacian": 0,
        "sharpen": 1,
        "box blur": 1,
        "Gaussian blur": 1,
    }
    assert {name: round(sums[name], 12) for name in expected} == expected
    assert all(as_kernel(kernel).shape == (3, 3, 1, 1) for kernel in KERNELS.values())


def test_typed_numbers() -> None:
    assert as_kernel([["-1", "0.5", "2"], [0, "1e1", 0], [0, 0, " 3 "]])[..., 0, 0].tolist() == [
        [-1, 0.5, 2],
        [0, 10, 0],
        [0, 0, 3],
    ]


@pytest.mark.parametrize(
    ("cell", "facts"),
    [
        ("x<b>", ("x<b>",)),
        (None, ()),
        ("", ()),
        ("nan", ("nan",)),
        ("1_0", ("1_0",)),
        ("٣", ("٣",)),
        ("inf", ("inf", -1000, 1000)),
        (1e9, ("1e+09", -1000, 1000)),
    ],
)
def test_a_cell_that_is_not_a_number(cell: object, facts: Facts) -> None:
    with refused(SettingsError, "row 2", "column 3", *facts):
        as_kernel([[1, 2, 3], [4, 5, cell], [7, 8, 9]])


@pytest.mark.parametrize(
    ("kernel", "error", "facts"),
    [
        ([[1, 2], [3, 4]], SettingsError, ("(2, 2)", "three")),
        ([[1, 2, 3]], SettingsError, ("(1, 3)",)),
        ([[1, 2, 3], [4, 5], [6]], ShapeError, ("rows",)),
    ],
)
def test_a_kernel_of_another_shape(kernel: Any, error: type[Exception], facts: Facts) -> None:
    with refused(error, *facts):
        as_kernel(kernel)


def test_pixels_beyond_any_scale() -> None:
    """A file may have a pixel of 1e308, which would overflow later, so it is refused."""
    with refused(SettingsError, "pixel", "1e+308"):
        shrink_image(np.full((1, 16), 1e308))


def test_shrinking_takes_means() -> None:
    image = np.arange(245.0).reshape(35, 7)
    small = shrink_image(image)
    assert small.shape == (12, 3)
    assert small[:2].tolist() == [[8, 11, 13], [29, 32, 34]]
    assert small[11].tolist() == [235.5, 238.5, 240.5]
    assert (shrink_image(image[:16]) == image[:16]).all()
    assert shrink_image(np.full((4096, 1000), 0.5)).shape == (16, 4)
