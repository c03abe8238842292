"""The board of another way to shares: those of the layer, the others, and the difference."""

from __future__ import annotations

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.notation.notation import OURS, Notation

from ..matrices import Matrix, board, difference, sides_of
from ..payload import JSON

Cell = tuple[int, int, int]  # head, query, key


def other_shares(
    trace: Trace, shares: Array, title: str, cell: Cell, notation: Notation = OURS
) -> JSON:
    """The shares of one head as the layer has them, and by another way, on one scale of colours."""
    head, query, key = cell
    sides, hidden = sides_of(trace, "probabilities"), trace.hidden[0, head]
    usual, other = (
        Matrix(
            name,
            numbers,
            *sides,
            (place, 0),
            name,
            kind="probability",
            hidden=hidden,
            says=f"The share by {name} is",
        )
        for place, (name, numbers) in enumerate(
            (("the layer", trace.probabilities[0, head]), (title, shares))
        )
    )
    gap = difference(other, usual, (2, 0), f"{title} − the layer")
    says = f"The shares of head {head} as the layer has them and by {title}, and the difference."
    return board([usual, other, gap], (other.name, query, key), says, notation)
