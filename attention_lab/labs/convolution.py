"""Convolution as attention: the plain convolution, and heads that compute the same with the
ordinary engine.

"Convolution" has the meaning of neural networks: the kernel is not flipped.
Source: Cordonnier, Loukas and Jaggi 2020, theorem 1. They add a separate relative term; here the
tokens have features for their positions, and W_Q and W_K are ordinary matrices.

At the end: when attention is a 1 × 1 convolution. Every token reads only itself, so Y = X W_V W_O
token by token. The slides claim this of weightless attention. It needs tokens of equal length or
positions, and it holds in a limit. Raw tokens cannot all choose themselves: a longer token in the
same direction always wins.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..layer_norm import standardised
from .convolution_heads import (
    PADDINGS,
    TokenGrid,
    convolution_heads,
    kernel_offsets,
    mixture_heads,
    position_features,
    shift_matrix,
    signed_patterns,
    token_grid,
)


def convolve(image: Array, kernel: Array, padding: str) -> Array:
    """The plain convolution, without attention: the padded picture is shifted by each offset,
    weighted and summed.

    padding: a key of `PADDINGS`. Shapes: (H, W, Cin), (K, K, Cin, Cout) -> (H, W, Cout).
    """
    side = kernel.shape[0]
    margin = (side - 1) // 2, side // 2
    margins = (margin, margin, (0, 0))
    padded = np.pad(image, margins, mode=PADDINGS[padding].numpy_mode)  # type: ignore[call-overload]
    height, width = image.shape[:2]
    shifted = [
        padded[row : row + height, column : column + width] @ kernel[row, column]
        for row, column in np.ndindex(kernel.shape[:2])
    ]
    total: Array = np.sum(shifted, axis=0)
    return total


Offsets = tuple[tuple[int, int], ...]  # down and across


@dataclass(frozen=True, eq=False)
class ConvolutionRun:
    """Attention and convolution side by side.

    trace: of the layer, one token per cell of the grid. offsets: (down, across) from the pixel to
    where each head looks; empty if a head looks at several places. output, expected: of attention
    and of the convolution, (H, W, Cout). target_share: the smallest share of its attention that a
    head gives to its targets.
    """

    trace: Trace
    grid: TokenGrid
    offsets: Offsets
    output: Array
    expected: Array
    target_share: float

    @property
    def largest_error(self) -> float:
        """The largest distance between attention and convolution."""
        return float(np.abs(self.output - self.expected).max())


def run_convolution(
    image: Array, kernel: Array, sharpness: float, padding: str = "frame"
) -> ConvolutionRun:
    """One head for each number of the kernel: it looks at one offset, and W_O holds the number.

    sharpness: the factor of the squared distance from the target in the score, above 0.
    Shapes: image (H, W, Cin), kernel (K, K, Cin, Cout).

    >>> image = np.array([[[1.0], [2.0]], [[3.0], [4.0]]])
    >>> run = run_convolution(image, np.array([[[[2.0]]]]), sharpness=40)
    >>> run.output[..., 0].round(9).tolist()
    [[2.0, 4.0], [6.0, 8.0]]
    """
    grid = token_grid(padding, image, kernel)
    tokens_TC = np.hstack([grid.contents(image), position_features(grid)])
    offsets = kernel_offsets(kernel.shape[0])
    patterns_HNT = np.stack([shift_matrix(grid, offset) for offset in offsets])
    expected = convolve(image, kernel, padding)
    trace = attend(tokens_TC, convolution_heads(kernel, sharpness, grid))
    return _compare(trace, grid, offsets, expected, patterns_HNT)


def run_two_heads(
    image: Array, kernel: Array, sharpness: float, padding: str = "frame"
) -> ConvolutionRun:
    """Two heads are enough for one channel: the attention of one has the form of the kernel's
    positive part, that of the other the form of its negative part.

    Positions are one-hot, so W_Q can hold any pattern of attention. A kernel without negative
    or without positive numbers needs one head. sharpness: by how much the score of every other
    token is below 0.
    Shapes: image (H, W, 1), kernel (K, K, 1, 1). Raises: SettingsError for a kernel of zeros.
    """
    grid = token_grid(padding, image, kernel)
    expected = convolve(image, kernel, padding)
    patterns_HNT, sizes_H = signed_patterns(kernel[..., 0, 0], grid)
    tokens_TC = np.hstack([grid.contents(image), np.eye(grid.n_tokens)])
    trace = attend(tokens_TC, mixture_heads(patterns_HNT, sizes_H, sharpness, grid))
    return _compare(trace, grid, (), expected, patterns_HNT)


def pixel_attention(run: ConvolutionRun, row: int, column: int) -> tuple[Array, Array]:
    """What each head reads at one pixel: a map over the grid of tokens, and the share of the sink.

    Shapes: (heads, grid rows, grid columns), (heads,); the share is 0 without a sink.
    """
    grid = run.grid
    shares_HT = run.trace.probabilities[0, :, grid.pixels[row * grid.width + column]]
    n_cells = math.prod(grid.shape)
    return shares_HT[:, :n_cells].reshape(-1, *grid.shape), shares_HT[:, n_cells:].sum(axis=1)


def _compare(
    trace: Trace, grid: TokenGrid, offsets: Offsets, expected: Array, patterns_HNT: Array
) -> ConvolutionRun:
    shares_HNT = trace.probabilities[0][:, grid.pixels]
    target_share = float(np.where(patterns_HNT > 0, shares_HNT, 0).sum(axis=2).min())
    output = trace.output[0, grid.pixels].reshape(expected.shape)
    return ConvolutionRun(trace, grid, offsets, output, expected, target_share)


def error_curve(
    image: Array, kernel: Array, sharpnesses: Sequence[float], padding: str = "frame"
) -> list[float]:
    """The largest error at each sharpness."""
    return [run_convolution(image, kernel, s, padding).largest_error for s in sharpnesses]


def expected_error(image: Array, kernel: Array, sharpness: float, padding: str = "frame") -> float:
    """The line beside the error curve: the attention that leaks to wrong tokens, times the range of
    the picture, times the size of the kernel.
    """
    spread = float(max(image.max(), 0) - min(image.min(), 0))
    size = float(np.abs(kernel).sum(axis=(0, 1, 2)).max())
    return leaked_attention(sharpness, padding, image.shape[:2]) * spread * size


def leaked_attention(sharpness: float, padding: str, sides: tuple[int, ...]) -> float:
    """About how much of its attention a head gives to wrong tokens.

    The target has four neighbours at distance 1, so 4·e^-α leaks. The score of a sink is α/2 below
    that of the target, so e^-α/2 leaks to it. On a circle the scores of the neighbours, two unless
    the side is shorter than 3, are only α(1 - cos(2π/side)) below that of the target.
    """
    if padding == "sink":
        return math.exp(-sharpness / 2)
    if padding == "circular":
        gaps = {side: 1 - math.cos(2 * math.pi / side) for side in sides}
        return sum(min(2, side - 1) * math.exp(-sharpness * gaps[side]) for side in sides)
    return 4 * math.exp(-sharpness)


TOKEN_KINDS = ("raw", "layer-normed", "with positions")


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Attention beside the 1 × 1 convolution. self_weights: the attention weight of each token for
    itself, (T,). error: the largest difference of the outputs.
    """

    trace: Trace
    expected: Array
    self_weights: Array
    error: float

    @property
    def n_choosing_themselves(self) -> int:
        """How many tokens have their row's largest score with themselves, up to rounding."""
        scores_TS = self.trace.scores[0, 0]
        best_T = scores_TS.max(axis=1)
        return int((scores_TS.diagonal() >= best_T - 1e-9 * np.abs(best_T)).sum())


def run_one_by_one(
    tokens_TC: Array, kernel_CO: Array, sharpness: float, kind: str = "layer-normed"
) -> OneByOne:
    """One head with W_Q W_Kᵀ = sharpness · I on the tokens, on normalised tokens, or on one-hot
    positions.

    kind: one of `TOKEN_KINDS`. Shapes: tokens (T, C), kernel (C, C_out).

    >>> tokens, kernel = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0]])
    >>> run_one_by_one(tokens, kernel, sharpness=60, kind="with positions").error
    0.0
    """
    x_TC = standardised(tokens_TC) if kind == "layer-normed" else tokens_TC
    compared_TF = np.eye(len(x_TC)) if kind == "with positions" else x_TC
    inputs_TD = np.hstack([x_TC, compared_TF])
    reads_content, reads_compared = np.split(np.eye(inputs_TD.shape[1]), [x_TC.shape[1]], axis=1)
    w_q = sharpness * reads_compared
    p = Projections(w_q, reads_compared, reads_content, kernel_CO, n_heads=1)
    trace = attend(inputs_TD, p, scale=1.0)
    expected_TO = x_TC @ kernel_CO
    self_weights_T = trace.probabilities[0, 0].diagonal()
    error = float(np.abs(trace.output[0] - expected_TO).max())
    return OneByOne(trace, expected_TO, self_weights_T, error)


def one_by_one_example() -> tuple[Array, Array]:
    """Six tokens of four features, of which the last is twice the first, and a kernel from four to
    two features.
    """
    rng = np.random.default_rng(0)
    tokens_TC = rng.standard_normal((6, 4))
    tokens_TC[5] = 2 * tokens_TC[0]
    return tokens_TC, rng.standard_normal((4, 2))
