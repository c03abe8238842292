"""How light the pixels of a decoded picture are: 0 black, 1 white."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array

# The shares of red, green and blue in what looks light, in thousandths. Source: ITU-R BT.601,
# section 2.5.1.
_SHARES = np.array([299, 587, 114])
_WHITE = 255 * int(_SHARES.sum())


def of_colours(pixels: bytes, height: int, width: int) -> Array:
    """Luminance over white of pixels with four bytes each: red, green, blue, and how opaque they
    are.

    A grey is exactly its share of white. Shapes: (height, width).

    >>> of_colours(bytes([51, 51, 51, 255, 0, 0, 0, 0]), 1, 2).tolist()
    [[0.2, 1.0]]
    """
    pixels_HW4 = np.frombuffer(pixels, np.uint8).reshape(height, width, 4).astype(np.int64)
    opaque_HW = pixels_HW4[..., 3]
    light: Array = (pixels_HW4[..., :3] @ _SHARES * opaque_HW + _WHITE * (255 - opaque_HW)) / (
        _WHITE * 255
    )
    return light


def of_deep_greys(
    pixels: bytes, height: int, width: int, *, kind: str = "<u2", hidden: object = None
) -> Array:
    """Luminance of greys from 0 to 65,535, as whole numbers of a NumPy type; the grey `hidden` is
    transparent.

    Shapes: (height, width).

    >>> of_deep_greys(bytes([255, 255, 0, 0, 1, 0]), 1, 3, hidden=1).tolist()
    [[1.0, 0.0, 1.0]]
    """
    greys_HW = np.frombuffer(pixels, kind).reshape(height, width).astype(np.int64)
    return np.where(greys_HW == hidden, 1.0, greys_HW / 65535)
