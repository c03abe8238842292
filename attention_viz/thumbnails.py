"""The matrices of the layer as thumbnails: which there are, where each stands, and what is drawn of a large one."""

from __future__ import annotations

import numpy as np

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.heads import head_of

from .board import Board
from .heatmap import limit_of

MOST_CELLS = 48  # to a side of a thumbnail; of a larger matrix evenly spread rows and columns are drawn

# Where each matrix stands: its left edge and width of 100, its upper edge and height in px.
PLACES: dict[str, tuple[float, float, float, float]] = {
    "inputs": (38, 24, 22, 64),
    "w_q": (10, 12, 134, 36), "w_k": (44, 12, 134, 36), "w_v": (78, 12, 134, 36),
    "queries": (4, 24, 218, 64), "keys": (38, 24, 218, 64), "values": (72, 24, 218, 64),
    "query_heads": (4, 22, 368, 64), "key_heads": (38, 22, 368, 64), "value_heads": (72, 22, 368, 64),
    "scores": (3, 17, 516, 84), "scaled_scores": (28, 17, 516, 84), "masked_scores": (53, 17, 516, 84),
    "probabilities": (77, 17, 516, 84),
    "head_outputs": (77, 17, 674, 84), "merged": (53, 17, 674, 84), "w_o": (31, 11, 694, 44),
    "output": (3, 17, 674, 84),
}  # fmt: skip
WEIGHTS = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "output"}
LIKE = {"scaled_scores": "scores", "masked_scores": "scores"}
NAMES = {"scaled_scores": "scaled", "masked_scores": "masked"}


def thumbnail(trace: Trace, name: str, head: int = 0) -> Board:
    """One matrix in its place: a weight, a field of all heads, or the given head's; large ones by every n-th row."""
    matrix = matrix_of(trace, name, head)
    if matrix is None:
        raise SettingsError(f"this layer has no {name}, so there is nothing to draw")
    rows, columns = (spread(n) for n in matrix.shape)
    left, width, top, height = PLACES[name]
    kind = STEPS[name].kind if name in STEPS else "feature"
    limit = limit_of(trace, LIKE.get(name, name)) if name in STEPS else None
    return Board(matrix[np.ix_(rows, columns)], left, top, width, height, kind, limit)


def spread(length: int, most: int = MOST_CELLS) -> Array:
    """Which of so many rows or columns are drawn: all, or evenly spread ones with the first and the last.

    >>> spread(3).tolist(), spread(9, most=3).tolist()
    ([0, 1, 2], [0, 4, 8])
    """
    return np.linspace(0, length - 1, min(length, most)).round().astype(int)


def symbol(latex: str) -> str:
    r"""A symbol of a `Step` as Plotly writes it.

    >>> symbol(r"\tilde S_h"), symbol("W_Q")
    ('S̃<sub>h</sub>', 'W<sub>Q</sub>')
    """
    plain = latex.replace(r"\tilde S", "S̃").replace(r"\hat S", "Ŝ")
    letter, _, index = plain.partition("_")
    return f"{letter}<sub>{index}</sub>" if index else letter


def matrix_of(trace: Trace, name: str, head: int) -> Array | None:
    """A weight (None where the layer has none), a field of all heads, or one head's matrix."""
    if name in WEIGHTS:
        weights: Array | None = getattr(trace.projections, name)
        return weights
    array = getattr(trace, name)[0]
    matrix: Array = array[head_of(trace, name, head)] if STEPS[name].per_head else array
    return matrix


def title(name: str) -> str:
    """A matrix in a word or two."""
    return NAMES.get(name, STEPS[name].title) if name in STEPS else name.upper()


def shape(trace: Trace, name: str) -> str:
    """The sizes of a matrix, heads included, without the batch axis."""
    sizes = getattr(trace, name).shape[1:] if name in STEPS else getattr(trace.projections, name).shape
    return "×".join(map(str, sizes))
