"""Small pictures and kernels for the convolution laboratory: presets, and the checks of one's
own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_array, as_numbers
from attention_core.errors import SettingsError
from attention_core.number_types import check_range

from ..files.file_checks import typed_number

# Every pixel is a token and every head compares each with each: 16 x 16 pixels make 9 x 65,536
# scores.
MAX_SIDE = 16
MAX_UPLOAD_SIDE = 4096
MAX_CHANNELS = 4
KERNEL_SIDES = (1, 3)
LARGEST_WEIGHT = 1000.0
LARGEST_PIXEL = 1e6

KERNELS: dict[str, tuple[tuple[float, ...], ...]] = {
    "Sobel x": ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1)),
    "Sobel y": ((-1, -2, -1), (0, 0, 0), (1, 2, 1)),
    "Laplacian": ((0, 1, 0), (1, -4, 1), (0, 1, 0)),
    "sharpen": ((0, -1, 0), (-1, 5, -1), (0, -1, 0)),
    "box blur": ((1 / 9, 1 / 9, 1 / 9), (1 / 9, 1 / 9, 1 / 9), (1 / 9, 1 / 9, 1 / 9)),
    "Gaussian blur": ((1 / 16, 2 / 16, 1 / 16), (2 / 16, 4 / 16, 2 / 16), (1 / 16, 2 / 16, 1 / 16)),
    "emboss": ((-2, -1, 0), (-1, 1, 1), (0, 1, 2)),
    "shift left": ((0, 0, 0), (0, 0, 1), (0, 0, 0)),
}

# Rows of pixels: digits are ninths of white.
_PICTURES = {
    "square": "00000000 00000000 00999900 00999900 00999900 00999900 00000000 00000000",
    "disc": "00000000 00399300 03999930 09999990 09999990 03999930 00399300 00000000",
    "edge": "00009999 00009999 00009999 00009999 00009999 00009999 00009999 00009999",
    "diagonal": "90000000 09000000 00900000 00090000 00009000 00000900 00000090 00000009",
    "checkers": "99009900 99009900 00990099 00990099 99009900 99009900 00990099 00990099",
    "ramp": "01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567",
    "point": "00000000 00000000 00000000 00090000 00000000 00000000 00000000 00000000",
    "letter A": "00099000 00900900 00900900 09000090 09999990 09000090 09000090 00000000",
}
IMAGES: dict[str, Array] = {
    name: np.array([[int(digit) / 9 for digit in row] for row in rows.split()])
    for name, rows in _PICTURES.items()
}
for _image in IMAGES.values():
    _image.setflags(write=False)


def as_image(pixels: ArrayLike) -> Array:
    """A picture small enough to be a sequence of tokens, with an axis of channels.

    Shapes: (height, width) or (height, width, channels) -> (height, width, channels).
    Raises: SettingsError, ShapeError.

    >>> as_image(IMAGES["disc"]).shape
    (8, 8, 1)
    """
    array = as_array("image", pixels)
    _check_axes(array)
    height, width = array.shape[:2]
    if max(height, width) > MAX_SIDE:
        raise SettingsError(
            f"The image has {height:,} × {width:,} pixels, but every pixel becomes a token, so at"
            f" most {MAX_SIDE} × {MAX_SIDE} are possible: shrink it first"
        )
    numbers = _pixels(array)
    return numbers[..., np.newaxis] if numbers.ndim == 2 else numbers


def shrink_image(pixels: ArrayLike) -> Array:
    """A picture brought to at most 16 × 16 pixels, each the mean of the ones it stands for; small
    ones stay.

    Raises: SettingsError, ShapeError.

    >>> shrink_image([[0.0, 2.0, *[8.0] * 30]])[0, :3].tolist()
    [1.0, 8.0, 8.0]
    """
    array = as_array("image", pixels)
    _check_axes(array)
    height, width = array.shape[:2]
    if max(height, width) > MAX_UPLOAD_SIDE:
        raise SettingsError(
            f"The image has {height:,} × {width:,} pixels, but at most {MAX_UPLOAD_SIDE:,} ×"
            f" {MAX_UPLOAD_SIDE:,} are read: choose a smaller picture"
        )
    shrunk = _pixels(array)
    block = max(1, -(-max(height, width) // MAX_SIDE))
    for axis in (0, 1):
        starts = np.arange(0, shrunk.shape[axis], block)
        lengths = np.diff([*starts, shrunk.shape[axis]]).reshape(
            [-1 if i == axis else 1 for i in range(shrunk.ndim)]
        )
        with np.errstate(over="ignore", invalid="ignore"):
            shrunk = np.add.reduceat(shrunk, starts, axis=axis) / lengths
    check_range(shrunk)
    return shrunk


def as_kernel(rows: Sequence[Sequence[object]] | ArrayLike) -> Array:
    """One's own kernel: a square of 1 or 3 numbers a side, or one such square for each pair of
    channels.

    Shapes: (K, K) or (K, K, channels in, channels out) -> (K, K, channels in, channels out).
    Raises: SettingsError, ShapeError.

    >>> as_kernel([["0.5"]]).tolist()
    [[[[0.5]]]]
    """
    array = as_array("kernel", rows)  # type: ignore[arg-type]
    if (
        array.ndim not in (2, 4)
        or array.shape[0] != array.shape[1]
        or array.shape[0] not in KERNEL_SIDES
    ):
        raise SettingsError(
            f"The kernel must be a square of 1 or 3 numbers a side, but has shape {array.shape}"
        )
    if array.ndim == 4 and not (
        0 < array.shape[2] <= MAX_CHANNELS and 0 < array.shape[3] <= MAX_CHANNELS
    ):
        raise SettingsError(
            f"The kernel may join 1 to {MAX_CHANNELS} channels with as many, but has"
            f" {array.shape[2:]}"
        )
    if array.dtype.kind not in "biufUO":
        raise SettingsError(
            f"The kernel must hold numbers, but holds {array.dtype}: convert them first"
        )
    numbers = np.array([_weight(cell, index) for index, cell in np.ndenumerate(array)]).reshape(
        array.shape
    )
    return numbers[..., np.newaxis, np.newaxis] if numbers.ndim == 2 else numbers


def _weight(cell: object, index: tuple[int, ...]) -> float:
    """One cell of a kernel as a number, also when it was typed."""
    place = f"The kernel's row {index[0] + 1}, column {index[1] + 1}"
    if cell is None or not str(cell).strip():
        raise SettingsError(f"{place} is empty: type a number such as -0.5")
    number = typed_number(str(cell))
    if math.isnan(number):
        raise SettingsError(
            f"{place} holds {str(cell)[:20]!r}, which is no number: type one such as -0.5"
        )
    if not abs(number) <= LARGEST_WEIGHT:
        raise SettingsError(
            f"{place} holds {number:g}, but a weight must lie from -1000 to 1000: choose a"
            " smaller one"
        )
    return number


def _pixels(array: Array) -> Array:
    """The numbers of a picture as float64, none of them beyond `LARGEST_PIXEL`."""
    numbers = as_numbers("image", array).astype(np.float64)
    if (most := np.abs(numbers).max()) > LARGEST_PIXEL:
        raise SettingsError(
            f"The image holds {most:g}, but pixels lie within ±{LARGEST_PIXEL:,.0f}: scale it down"
        )
    return numbers


def _check_axes(array: Array) -> None:
    if (
        array.ndim not in (2, 3)
        or 0 in array.shape
        or (array.ndim == 3 and array.shape[2] > MAX_CHANNELS)
    ):
        raise SettingsError(
            f"The image must have height, width and at most {MAX_CHANNELS} channels, but has shape"
            f" {array.shape}"
        )
