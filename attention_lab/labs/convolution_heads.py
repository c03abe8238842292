"""The weights of heads that look at a fixed offset, whatever the tokens hold.

The features of a token are its content, then its position. A head that should look at the offset Δ
gives key j the score -α‖p_j - (p_i + Δ)‖² plus a number that is the same for all keys of the row.
Such a number does not change the softmax.

Before them: four ways to treat the edge of a picture, and the padding that each equals.
"""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.projections import Projections

from ..home import read_table


@dataclass(frozen=True)
class Padding:
    """One way to treat the edge of a picture.

    description: what is done to the tokens, and the effect. convolution_padding: the name of the
    convolution's padding. numpy_mode: the same padding in `numpy.pad`.
    """

    description: str
    convolution_padding: str
    numpy_mode: str


PADDINGS = {row.pop("name"): Padding(**row) for row in read_table("paddings")}


def kernel_offsets(side: int) -> tuple[tuple[int, int], ...]:
    """The offset (down, across) of every number of a kernel from its pixel, row by row. A kernel
    with an even side has no middle: it reaches one further down and to the right, as with
    `padding="same"` in PyTorch.

    >>> kernel_offsets(3)[:4], kernel_offsets(2)
    (((-1, -1), (-1, 0), (-1, 1), (0, -1)), ((0, 0), (0, 1), (1, 0), (1, 1)))
    """
    steps = range(-((side - 1) // 2), side // 2 + 1)
    return tuple((down, across) for down in steps for across in steps)


@dataclass(frozen=True)
class TokenGrid:
    """The tokens of a picture: its pixels row by row, perhaps with a margin of empty ones around
    them, then perhaps a sink.
    """

    padding: str
    height: int
    width: int
    margin: int
    has_sink: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the tokens, with the margin."""
        return self.height + 2 * self.margin, self.width + 2 * self.margin

    @property
    def n_tokens(self) -> int:
        """The number of tokens, with margin and sink."""
        rows, columns = self.shape
        return rows * columns + self.has_sink

    @property
    def pixels(self) -> Array:
        """The tokens that are pixels of the picture, row by row. Shapes: (H·W,) integers."""
        return self.targets((0, 0))

    def targets(self, offset: tuple[int, int]) -> Array:
        """The token that each pixel finds at an offset (down, across). Shapes: (H·W,) integers.

        >>> TokenGrid("circular", 1, 3, margin=0, has_sink=False).targets((0, 1)).tolist()
        [1, 2, 0]
        """
        down_N, across_N = (index.ravel() for index in np.indices((self.height, self.width)))
        row_N, column_N = down_N + offset[0] + self.margin, across_N + offset[1] + self.margin
        rows, columns = self.shape
        if self.padding == "circular":
            return row_N % rows * columns + column_N % columns
        nearest_N: Array = np.clip(row_N, 0, rows - 1) * columns + np.clip(column_N, 0, columns - 1)
        if not self.has_sink:
            return nearest_N
        outside_N = (row_N < 0) | (row_N >= rows) | (column_N < 0) | (column_N >= columns)
        return np.where(outside_N, self.n_tokens - 1, nearest_N)

    def contents(self, picture: Array) -> Array:
        """The content of the tokens: pixels, and 0 elsewhere. Shapes: (H, W, C) -> (tokens, C)."""
        content_TC = np.zeros((self.n_tokens, picture.shape[2]))
        content_TC[self.pixels] = picture.reshape(-1, picture.shape[2])
        return content_TC


def token_grid(padding: str, image: Array, kernel: Array) -> TokenGrid:
    """The tokens of a picture. A frame is as wide as the kernel reaches to each side."""
    margin = kernel.shape[0] // 2 if padding == "frame" else 0
    return TokenGrid(padding, image.shape[0], image.shape[1], margin, padding == "sink")


def shift_matrix(grid: TokenGrid, offset: tuple[int, int]) -> Array:
    """Attention in the limit: the row of each pixel has a single 1, for the token at the offset.

    Shapes: (H·W, tokens).
    """
    matrix_NT = np.zeros((grid.height * grid.width, grid.n_tokens))
    matrix_NT[np.arange(len(matrix_NT)), grid.targets(offset)] = 1
    return matrix_NT


# The engine divides scores by √d_k; the heads below have d_k = 4.
_D_K = 4
_UNSCALE = math.sqrt(_D_K)


def position_features(grid: TokenGrid) -> Array:
    """The features for the position of each token. Shapes: (tokens, 5), or (tokens, 4) on circles.

    A cell of the grid has 1, row, column, row² + column², 0, and the sink has 0, 0, 0, 0, 1. On
    circles they are cosine and sine of the row's angle, then of the column's angle.
    """
    rows, columns = grid.shape
    row_T, column_T = (
        index.ravel().astype(np.float64) - grid.margin for index in np.indices((rows, columns))
    )
    if grid.padding == "circular":
        angles = 2 * np.pi * row_T / rows, 2 * np.pi * column_T / columns
        return np.stack([wave(angle) for angle in angles for wave in (np.cos, np.sin)], axis=1)
    features_TF, one_T = np.zeros((grid.n_tokens, 5)), np.ones_like(row_T)
    places = one_T, row_T, column_T, row_T**2 + column_T**2
    features_TF[: rows * columns, :4] = np.stack(places, axis=1)
    if grid.has_sink:
        features_TF[-1, 4] = 1
    return features_TF


def quadratic_head(offset: tuple[int, int], sharpness: float) -> tuple[Array, Array]:
    """W_Q and W_K for the position features: the score falls with the squared distance from the
    target.

    q = [2g(r+Δr), 2g(c+Δc), -g, g(‖p+Δ‖² - 1/2)], k = [r, c, r²+c², sink], g = α√d_k. The score of
    the sink is α/2 below that of the target and α/2 above that of its neighbours, so the sink wins
    exactly if the target is missing. Shapes: (5, 4) twice.
    """
    down, across = offset
    w_q = np.array(
        [
            [2 * down, 2 * across, -1, down**2 + across**2 - 0.5],
            [2, 0, 0, 2 * down],
            [0, 2, 0, 2 * across],
            [0, 0, 0, 1],
            [0, 0, 0, 0],
        ]
    )
    w_k = np.zeros((5, _D_K))
    w_k[1:] = np.eye(_D_K)
    return sharpness * _UNSCALE * w_q, w_k


def circular_head(
    offset: tuple[int, int], sharpness: float, shape: tuple[int, int]
) -> tuple[Array, Array]:
    """W_Q rotates both angles by the offset and W_K keeps them. The score is α times the sum of the
    cosines of both angles between query and key.

    Shapes: (4, 4) twice.
    """
    w_q = np.zeros((4, _D_K))
    for axis, (step, side) in enumerate(zip(offset, shape, strict=True)):
        angle = 2 * np.pi * step / side
        rotation = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        w_q[2 * axis : 2 * axis + 2, 2 * axis : 2 * axis + 2] = rotation
    return sharpness * _UNSCALE * w_q, np.eye(4, _D_K)


def convolution_heads(weights: Array, sharpness: float, grid: TokenGrid) -> Projections:
    """One head for each number of the kernel; W_V copies the content, and W_O holds the kernel.

    Shapes: weights (K, K, Cin, Cout).
    """
    n_contents = weights.shape[2]
    heads = []
    for offset in kernel_offsets(weights.shape[0]):
        head = quadratic_head(offset, sharpness)
        if grid.padding == "circular":
            head = circular_head(offset, sharpness, grid.shape)
        w_q, w_k = (np.vstack([np.zeros((n_contents, _D_K)), block]) for block in head)
        heads.append((w_q, w_k, np.eye(len(w_q), n_contents)))
    return Projections.from_heads(heads, weights.reshape(-1, weights.shape[3]))


def signed_patterns(weights: Array, grid: TokenGrid) -> tuple[Array, Array]:
    """The attention of a head for the kernel's positive numbers, that of a head for its negative
    numbers, and the sum of each part.

    The rows of a pattern sum to 1, so W_O multiplies by the sum of the part, with its sign. An
    empty part has no head.
    Shapes: weights (K, K) -> (heads, H·W, tokens), (heads,). Raises: SettingsError for a kernel of
    zeros.
    """
    patterns, sizes = [], []
    for sign in (1.0, -1.0):
        part = np.maximum(sign * weights, 0).ravel()
        if part.any():
            shares = zip(kernel_offsets(len(weights)), part / part.sum(), strict=True)
            shifted = [share * shift_matrix(grid, offset) for offset, share in shares]
            patterns.append(np.sum(shifted, axis=0))
            sizes.append(sign * part.sum())
    if not patterns:
        raise SettingsError(
            "Every number of the kernel is 0, so no head has anything to look for: change a number"
        )
    return np.stack(patterns), np.array(sizes)


def mixture_heads(
    patterns_HNT: Array, sizes_H: Array, sharpness: float, grid: TokenGrid
) -> Projections:
    """Heads for tokens with one content feature and a one-hot position: row i of W_Q holds the
    scores of token i.

    A share p of a pattern becomes the score ln p; every other token gets -sharpness. The rows of
    margin and sink stay 0.
    Shapes: (heads, H·W, tokens), (heads,).
    """
    n_tokens, heads = grid.n_tokens, []
    for pattern_NT in patterns_HNT:
        scores_TT = np.zeros((n_tokens, n_tokens))
        wanted = pattern_NT > 0
        logarithm_NT = np.log(np.where(wanted, pattern_NT, 1))
        scores_TT[grid.pixels] = np.where(wanted, logarithm_NT, -sharpness)
        content = np.zeros((1, n_tokens))
        w_q = np.vstack([content, scores_TT * math.sqrt(n_tokens)])
        heads.append((w_q, np.vstack([content, np.eye(n_tokens)]), np.eye(n_tokens + 1, 1)))
    return Projections.from_heads(heads, sizes_H[:, np.newaxis])
