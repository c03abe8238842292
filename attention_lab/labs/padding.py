"""Four ways to treat the edge of a picture, and the padding of the convolution that each equals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array


@dataclass(frozen=True)
class Padding:
    """One way to treat the edge of a picture.

    description: what is done to the tokens, and the effect. convolution_padding: the name of the
    convolution's padding. numpy_mode: the same padding in `numpy.pad`.
    """

    description: str
    convolution_padding: str
    numpy_mode: str


PADDINGS = {
    "nothing": Padding(
        "No token is added. A head whose target is outside reads the nearest pixel, so the edge is"
        " repeated.",
        "edge-replicate",
        "edge",
    ),
    "frame": Padding(
        "A frame of empty pixels surrounds the picture. Their content is 0, and their outputs are"
        " cut off.",
        "zero (SAME)",
        "constant",
    ),
    "sink": Padding(
        "Every head finds one empty token if its target is outside. Its score is only half as far"
        " below that of a target as the scores of the neighbours.",
        "zero (SAME)",
        "constant",
    ),
    "circular": Padding(
        "Positions lie on two circles: beyond the right edge the left edge follows.", "wrap", "wrap"
    ),
}


def kernel_offsets(side: int) -> tuple[tuple[int, int], ...]:
    """The offset (down, across) of every number of a kernel from its middle, row by row.

    >>> kernel_offsets(3)[:4]
    ((-1, -1), (-1, 0), (-1, 1), (0, -1))
    """
    steps = range(-(side // 2), side // 2 + 1)
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

        >>> token_grid("circular", 1, 3, reach=1).targets((0, 1)).tolist()
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


def token_grid(padding: str, height: int, width: int, reach: int) -> TokenGrid:
    """The tokens of a picture for a kernel that reaches `reach` pixels to each side."""
    return TokenGrid(padding, height, width, reach if padding == "frame" else 0, padding == "sink")


def shift_matrix(grid: TokenGrid, offset: tuple[int, int]) -> Array:
    """Attention in the limit: the row of each pixel has a single 1, for the token at the offset.

    Shapes: (H·W, tokens).
    """
    matrix_NT = np.zeros((grid.height * grid.width, grid.n_tokens))
    matrix_NT[np.arange(len(matrix_NT)), grid.targets(offset)] = 1
    return matrix_NT
