"""Small pictures and kernels for the page *Convolution*: examples, and kernels of the user."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_array
from attention_core.errors import SettingsError

from ..files.file_checks import typed_number

MAX_KERNEL_NUMBER, MAX_KERNEL_SIDE = 1000.0, 3

KERNELS: dict[str, tuple[tuple[float, ...], ...]] = {
    "Sobel x": ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1)),
    "Sobel y": ((-1, -2, -1), (0, 0, 0), (1, 2, 1)),
    "Laplacian": ((0, 1, 0), (1, -4, 1), (0, 1, 0)),
    "sharpen": ((0, -1, 0), (-1, 5, -1), (0, -1, 0)),
    "box blur": ((1 / 9, 1 / 9, 1 / 9), (1 / 9, 1 / 9, 1 / 9), (1 / 9, 1 / 9, 1 / 9)),
    "Gaussian blur": ((1 / 16, 2 / 16, 1 / 16), (2 / 16, 4 / 16, 2 / 16), (1 / 16, 2 / 16, 1 / 16)),
    "emboss": ((-2, -1, 0), (-1, 1, 1), (0, 1, 2)),
    "shift left": ((0, 0, 0), (0, 0, 1), (0, 0, 0)),
    "2 × 2: Roberts": ((1, 0), (0, -1)),
    "2 × 2: box blur": ((1 / 4, 1 / 4), (1 / 4, 1 / 4)),
    "1 × 1: negative": ((-1,),),
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


def as_image(*channels: ArrayLike) -> Array:
    """A picture whose channels are grey pictures. Shapes: (H, W) each -> (H, W, channels).

    >>> as_image(IMAGES["disc"]).shape, as_image(IMAGES["disc"], IMAGES["edge"]).shape
    ((8, 8, 1), (8, 8, 2))
    """
    return np.stack([np.asarray(one, dtype=np.float64) for one in channels], axis=-1)


def as_kernel(rows: Sequence[Sequence[object]] | ArrayLike) -> Array:
    """A kernel of 1 × 1, 2 × 2 or 3 × 3 numbers, which may be text, with axes for its one channel.

    Shapes: (K, K) -> (K, K, 1, 1). Raises: SettingsError, ShapeError.

    >>> as_kernel([["0.5", "1", "0"]] * 3)[0, :, 0, 0].tolist()
    [0.5, 1.0, 0.0]
    """
    array = as_array("kernel", rows)  # type: ignore[arg-type]
    if array.shape not in [(side, side) for side in range(1, MAX_KERNEL_SIDE + 1)]:
        raise SettingsError(
            f"The kernel has shape {array.shape} but must have one number, two rows of two numbers"
            " or three rows of three numbers"
        )
    numbers = [_kernel_number(cell, index) for index, cell in np.ndenumerate(array)]
    return np.array(numbers).reshape(*array.shape, 1, 1)


def for_two_channels(kernel: Array) -> Array:
    """A kernel for two channels in and two out. Output 0 is the kernel on channel 0 plus the
    transposed kernel on channel 1; output 1 is the kernel on channel 1 minus the transposed kernel
    on channel 0. With Sobel x they are divergence and curl of a field of arrows.

    Shapes: (K, K, 1, 1) -> (K, K, 2, 2).
    """
    one, turned = kernel[..., 0, 0], kernel[..., 0, 0].T
    return np.stack([np.stack([one, turned], axis=2), np.stack([-turned, one], axis=2)], axis=3)


def _kernel_number(cell: object, index: tuple[int, ...]) -> float:
    """The number of a cell of a kernel. Raises: SettingsError."""
    place = f"The kernel's row {index[0] + 1}, column {index[1] + 1}"
    if cell is None or not str(cell).strip():
        raise SettingsError(f"{place} is empty: type a number such as -0.5")
    number = typed_number(str(cell))
    if math.isnan(number):
        wrong = f"is {str(cell)[:20]!r}, which is not a number: type one such as -0.5"
        raise SettingsError(f"{place} {wrong}")
    if not abs(number) <= MAX_KERNEL_NUMBER:
        wrong = f"is {number:g} but must be from -1000 to 1000: type a smaller number"
        raise SettingsError(f"{place} {wrong}")
    return number
