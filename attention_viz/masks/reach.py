"""The board of who reaches whom over several layers with a window."""

from __future__ import annotations

from attention_core.checks import Array
from attention_lab.masks.reach import n_reached
from attention_lab.notation.notation import OURS, Notation

from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON


def reach_board(
    needed: Array, labels: tuple[str, ...], query: int, notation: Notation = OURS
) -> JSON:
    """How many layers it takes from every token to every other. needed: see `layers_until`.

    query: the row in focus.
    """
    matrix = Matrix(
        "layers",
        needed,
        Side("query position", labels, "T"),
        Side("key position", labels, "S"),
        (0, 0),
        "layers until a token is reached",
        hidden=needed == 0,
        says="The number of layers is",
    )
    description = (
        "After how many layers a query can hold something of a key. Tokens that the query in focus"
        f" reaches: {n_reached(needed, query)}."
    )
    return matrix_board([matrix], ("layers", query, query), description, notation)
