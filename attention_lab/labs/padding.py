"""What an offset finds beyond the edge of a picture: four ways, and the convolution each of
them equals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import (
    Array,
    as_list,
    check_choice,
    check_switch,
    short_repr,
    whole_number,
)
from attention_core.errors import SettingsError

# Beyond it the scores of every token for every other do not fit into memory.
MAX_GRID = 64


@dataclass(frozen=True)
class Padding:
    """says: what is done to the tokens, and what follows. equals: the name of the convolution's
    padding.

    numpy_mode: the same padding in `numpy.pad`.
    """

    says: str
    equals: str
    numpy_mode: str


PADDINGS = {
    "nothing": Padding(
        "No token is added. A head whose target lies outside takes the nearest pixel, so the edge"
        " is repeated.",
        "edge-replicate",
        "edge",
    ),
    "frame": Padding(
        "A frame of empty pixels around the picture: its content is 0, and its own outputs are cut"
        " off.",
        "zero (SAME)",
        "constant",
    ),
    "sink": Padding(
        "One empty token that every head finds when its target lies outside; only half as sharp as"
        " the others.",
        "zero (SAME)",
        "constant",
    ),
    "circular": Padding(
        "Positions on two circles: what leaves on the right comes back on the left.", "wrap", "wrap"
    ),
}


def check_padding(padding: str) -> str:
    """The name of a padding, checked. Raises: SettingsError if it is unknown."""
    return check_choice("padding", padding, PADDINGS)


def check_pair(name: str, pair: object) -> tuple[int, int]:
    """Two whole numbers, down and across. Raises: SettingsError."""
    if len(numbers := as_list(name, pair)) != 2:
        raise SettingsError(
            f"{name} is {short_repr(pair)} but must be two whole numbers, down and across"
        )
    return whole_number(name, numbers[0], -MAX_GRID, MAX_GRID), whole_number(
        name, numbers[1], -MAX_GRID, MAX_GRID
    )


def kernel_offsets(side: int) -> tuple[tuple[int, int], ...]:
    """(down, across) of every number of a kernel, row by row.

    >>> kernel_offsets(3)[:4]
    ((-1, -1), (-1, 0), (-1, 1), (0, -1))
    """
    reach = whole_number("side", side, 1, MAX_GRID) // 2
    steps = range(-reach, reach + 1)
    return tuple((down, across) for down in steps for across in steps)


@dataclass(frozen=True)
class TokenGrid:
    """The tokens of a picture: its pixels row by row, with a margin of empty ones around them,
    then perhaps a sink.
    """

    padding: str
    height: int
    width: int
    margin: int
    has_sink: bool

    def __post_init__(self) -> None:
        check_padding(self.padding)
        for name, least in (("height", 1), ("width", 1), ("margin", 0)):
            whole_number(name, getattr(self, name), least, MAX_GRID)
        check_switch("has_sink", self.has_sink)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the tokens, margin included."""
        return self.height + 2 * self.margin, self.width + 2 * self.margin

    @property
    def n_tokens(self) -> int:
        """How many tokens there are, margin and sink included."""
        rows, columns = self.shape
        return rows * columns + self.has_sink

    @property
    def pixels(self) -> Array:
        """Which tokens are the pixels of the picture, row by row. Shapes: (H·W,) whole numbers."""
        return self.targets((0, 0))

    def targets(self, offset: tuple[int, int]) -> Array:
        """Which token every pixel finds at an offset (down, across). Shapes: (H·W,) whole numbers.

        >>> token_grid("circular", 1, 3, reach=1).targets((0, 1)).tolist()
        [1, 2, 0]
        """
        offset = check_pair("offset", offset)
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
        """What the tokens hold: the pixels, and 0 for the others. Shapes: (H, W, C) -> (tokens,
        C).
        """
        content_TC = np.zeros((self.n_tokens, picture.shape[2]))
        content_TC[self.pixels] = picture.reshape(-1, picture.shape[2])
        return content_TC


def token_grid(padding: str, height: int, width: int, reach: int) -> TokenGrid:
    """The tokens of a picture for a kernel that reaches so many pixels to each side. Raises:
    SettingsError.
    """
    check_padding(padding)
    whole_number("reach", reach, 0, MAX_GRID)
    return TokenGrid(padding, height, width, reach if padding == "frame" else 0, padding == "sink")


def shift_matrix(grid: TokenGrid, offset: tuple[int, int]) -> Array:
    """Attention in the limit: the row of each pixel has a single 1, at the token that it finds at
    the offset.

    Shapes: (H·W, tokens).
    """
    matrix_NT = np.zeros((grid.height * grid.width, grid.n_tokens))
    matrix_NT[np.arange(len(matrix_NT)), grid.targets(offset)] = 1
    return matrix_NT
