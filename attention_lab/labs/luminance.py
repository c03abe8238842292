"""The luminance of the pixels of a decoded picture: 0 is black, 1 is white."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array

# The weights of red, green and blue in the luminance, in thousandths. Source: ITU-R BT.601, section
# 2.5.1.
_SHARES = np.array([299, 587, 114])
_WHITE = 255 * int(_SHARES.sum())


def rgba_luminance(pixels: bytes, height: int, width: int) -> Array:
    """The luminance of RGBA pixels, four bytes each, on a white background.

    A grey gives exactly its share of white. Shapes: (height, width).

    >>> rgba_luminance(bytes([51, 51, 51, 255, 0, 0, 0, 0]), 1, 2).tolist()
    [[0.2, 1.0]]
    """
    pixels_HW4 = np.frombuffer(pixels, np.uint8).reshape(height, width, 4).astype(np.int64)
    opaque_HW = pixels_HW4[..., 3]
    light: Array = (pixels_HW4[..., :3] @ _SHARES * opaque_HW + _WHITE * (255 - opaque_HW)) / (
        _WHITE * 255
    )
    return light


def grey_luminance(
    pixels: bytes, height: int, width: int, *, kind: str = "<u2", hidden: object = None
) -> Array:
    """The luminance of greys from 0 to 65,535 on a white background.

    kind: the NumPy type of the pixels. hidden: the grey that is transparent. Shapes: (height,
    width).

    >>> grey_luminance(bytes([255, 255, 0, 0, 1, 0]), 1, 3, hidden=1).tolist()
    [[1.0, 0.0, 1.0]]
    """
    greys_HW = np.frombuffer(pixels, kind).reshape(height, width).astype(np.int64)
    return np.where(greys_HW == hidden, 1.0, greys_HW / 65535)
