"""Convolution as attention: the plain convolution, and heads that compute the same with the
ordinary engine.

Source: Cordonnier, Loukas and Jaggi 2020, theorem 1; here with features for the positions and real
W_Q, W_K in place of their separate relative term. "Convolution" means what neural networks call so:
the kernel is not turned around.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import Array, as_list, as_numbers, whole_number
from attention_core.errors import SettingsError
from attention_core.trace import Trace

from .convolution_heads import (
    check_sharpness,
    convolution_heads,
    mixture_heads,
    position_features,
    signed_patterns,
)
from .images import as_image, as_kernel
from .padding import PADDINGS, TokenGrid, check_padding, kernel_offsets, shift_matrix, token_grid


def convolve(image: ArrayLike, kernel: ArrayLike, padding: str) -> Array:
    """The plain convolution: for every offset the padded picture is moved, weighted and added; no
    attention.

    Shapes: (H, W) or (H, W, Cin), (K, K) or (K, K, Cin, Cout) -> (H, W, Cout). Raises:
    SettingsError, ShapeError.
    """
    picture, weights = as_image(image), as_kernel(kernel)
    _check_channels(picture, weights)
    reach = weights.shape[0] // 2
    margins = ((reach, reach), (reach, reach), (0, 0))
    padded = np.pad(picture, margins, mode=PADDINGS[check_padding(padding)].numpy_mode)  # type: ignore[call-overload]
    height, width = picture.shape[:2]
    moved = [
        padded[row : row + height, column : column + width] @ weights[row, column]
        for row in range(weights.shape[0])
        for column in range(weights.shape[1])
    ]
    total: Array = np.sum(moved, axis=0)
    return total


@dataclass(frozen=True, eq=False)
class ConvolutionRun:
    """Attention and convolution side by side.

    trace: of the layer, one token per cell of the grid. offsets: (down, across) that each head
    looks at, none when a head looks at several. output, expected: (H, W, Cout). hit: the least that
    any head gives to what it should find.
    """

    trace: Trace
    grid: TokenGrid
    offsets: tuple[tuple[int, int], ...]
    output: Array
    expected: Array
    hit: float

    @property
    def error(self) -> Array:
        """How far attention is from the convolution, pixel by pixel. Shapes: (H, W, Cout)."""
        distance: Array = np.abs(self.output - self.expected)
        return distance

    @property
    def largest_error(self) -> float:
        """The largest distance between attention and convolution."""
        return float(self.error.max())


def run_convolution(
    image: ArrayLike, kernel: ArrayLike, sharpness: float, padding: str = "frame"
) -> ConvolutionRun:
    """One head per number of the kernel, each looking at one offset; the kernel's numbers are W_O.

    sharpness: what the squared distance from the target is multiplied by in the score.
    Raises: SettingsError, ShapeError.

    >>> run_convolution([[1.0, 2.0], [3.0, 4.0]], [[2.0]], sharpness=40).output[...,
    ...     0].round(9).tolist()
    [[2.0, 4.0], [6.0, 8.0]]
    """
    picture, weights = as_image(image), as_kernel(kernel)
    grid = token_grid(padding, picture.shape[0], picture.shape[1], reach=weights.shape[0] // 2)
    tokens_TC = np.hstack([grid.contents(picture), position_features(grid)])
    patterns_HNT = np.stack(
        [shift_matrix(grid, offset) for offset in kernel_offsets(weights.shape[0])]
    )
    expected = convolve(picture, weights, padding)
    trace = attend(tokens_TC, convolution_heads(weights, check_sharpness(sharpness), grid))
    return _compare(trace, grid, kernel_offsets(weights.shape[0]), expected, patterns_HNT)


def run_two_heads(
    image: ArrayLike, kernel: ArrayLike, sharpness: float, padding: str = "frame"
) -> ConvolutionRun:
    """One channel needs only two heads: one spreads like the kernel's positive part, one like its
    negative part.

    Positions are one-hot, so that any pattern of attention can be written into W_Q. A kernel
    without negative numbers needs one head. sharpness: how many logits below 0 every other token
    lies.
    Raises: SettingsError, ShapeError.
    """
    picture, weights = as_image(image), as_kernel(kernel)
    if weights.shape[2:] != (1, 1):
        raise SettingsError(
            f"Two heads are enough for one channel, but the kernel joins {weights.shape[2]} with"
            f" {weights.shape[3]}: use one head per number of the kernel"
        )
    grid = token_grid(padding, picture.shape[0], picture.shape[1], reach=weights.shape[0] // 2)
    expected = convolve(picture, weights, padding)
    patterns_HNT, sizes_H = signed_patterns(weights[..., 0, 0], grid)
    tokens_TC = np.hstack([grid.contents(picture), np.eye(grid.n_tokens)])
    trace = attend(
        tokens_TC, mixture_heads(patterns_HNT, sizes_H, check_sharpness(sharpness), grid)
    )
    return _compare(trace, grid, (), expected, patterns_HNT)


def pixel_attention(run: ConvolutionRun, row: int, column: int) -> tuple[Array, Array]:
    """What each head reads at one pixel of the picture: a map over the grid of tokens, and what the
    sink gets.

    Shapes: (heads, grid rows, grid columns), (heads,), 0 where there is no sink. Raises:
    SettingsError.
    """
    grid, row, column = run.grid, whole_number("row", row), whole_number("column", column)
    if not (0 <= row < grid.height and 0 <= column < grid.width):
        raise SettingsError(
            f"There is no pixel in row {row}, column {column} of {grid.height} × {grid.width}:"
            " choose another"
        )
    shares_HT = run.trace.probabilities[0, :, grid.pixels[row * grid.width + column]]
    n_cells = math.prod(grid.shape)
    return shares_HT[:, :n_cells].reshape(-1, *grid.shape), shares_HT[:, n_cells:].sum(axis=1)


def _compare(
    trace: Trace,
    grid: TokenGrid,
    offsets: tuple[tuple[int, int], ...],
    expected: Array,
    patterns_HNT: Array,
) -> ConvolutionRun:
    shares_HNT = trace.probabilities[0][:, grid.pixels]
    hit = float(np.where(patterns_HNT > 0, shares_HNT, 0).sum(axis=2).min())
    return ConvolutionRun(
        trace, grid, offsets, trace.output[0, grid.pixels].reshape(expected.shape), expected, hit
    )


def error_curve(
    image: ArrayLike, kernel: ArrayLike, sharpnesses: ArrayLike, padding: str = "frame"
) -> Array:
    """The largest error at each sharpness. Shapes: sharpnesses (n,) -> (n,). Raises:
    SettingsError, ShapeError.
    """
    wanted = np.atleast_1d(as_numbers("sharpness", sharpnesses)).tolist()
    return np.array([run_convolution(image, kernel, s, padding).largest_error for s in wanted])


def expected_error(
    image: ArrayLike, kernel: ArrayLike, sharpness: float, padding: str = "frame"
) -> float:
    """The line beside the error curve: what leaks out of a hit, times the picture's range and the
    kernel's size.

    Raises: SettingsError, ShapeError.
    """
    picture, weights = as_image(image), as_kernel(kernel)
    _check_channels(picture, weights)
    spread = float(max(picture.max(), 0) - min(picture.min(), 0))
    return (
        leak(sharpness, padding, picture.shape[:2])
        * spread
        * float(np.abs(weights).sum(axis=(0, 1, 2)).max())
    )


def leak(sharpness: float, padding: str, sides: tuple[int, ...]) -> float:
    """About how much of its attention a head gives to the wrong tokens.

    A hit has four neighbours at distance 1, so 4·e^-α leaks; to a sink, which lies α/2 below a hit,
    e^-α/2; around circles the neighbours, two on each unless its side is shorter than 3, lie only
    α(1 - cos(2π/side)) below it.
    Raises: SettingsError.
    """
    check_sharpness(sharpness)
    sizes = [whole_number("sides", side, 1) for side in as_list("sides", sides)]
    if check_padding(padding) == "sink":
        return math.exp(-sharpness / 2)
    if padding == "circular":
        return sum(
            min(2, side - 1) * math.exp(-sharpness * (1 - math.cos(2 * math.pi / side)))
            for side in sizes
        )
    return 4 * math.exp(-sharpness)


def _check_channels(picture: Array, weights: Array) -> None:
    if picture.shape[2] != weights.shape[2]:
        raise SettingsError(
            f"The image has {picture.shape[2]} channels but the kernel reads {weights.shape[2]}:"
            " make them agree"
        )
