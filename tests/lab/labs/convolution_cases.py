"""An image, a kernel, and their convolution by plain loops."""

from __future__ import annotations

from itertools import product

import numpy as np

H, W = 5, 7
RNG = np.random.default_rng(0)
IMAGE = RNG.random((H, W, 1))
KERNEL = RNG.normal(size=(3, 3, 1, 1))
# Where each padding is as exact as float64 gets.
EXACT_SHARPNESS = {"nothing": 40.0, "frame": 40.0, "sink": 80.0, "circular": 110.0}


def convolved_by_loops(image: np.ndarray, kernel: np.ndarray, padding: str) -> np.ndarray:
    """The convolution by plain loops over pixels and kernel cells. Shapes: (H, W, 1), (K, K, 1, 1)
    -> (H, W).
    """
    height, width = image.shape[:2]
    reach = len(kernel) // 2
    result = np.zeros((height, width))
    for row, column, down, across in product(
        range(height), range(width), range(-reach, reach + 1), range(-reach, reach + 1)
    ):
        r, c = row + down, column + across
        if padding == "circular":
            r, c = r % height, c % width
        elif padding == "nothing":
            r, c = min(max(r, 0), height - 1), min(max(c, 0), width - 1)
        if 0 <= r < height and 0 <= c < width:
            result[row, column] += kernel[down + reach, across + reach, 0, 0] * image[r, c, 0]
    return result
