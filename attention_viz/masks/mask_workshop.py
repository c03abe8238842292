"""The boards of the mask workshop: every sequence of the batch, a mask to paint, a row with
nothing left, padding.
"""

from __future__ import annotations

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.masks.mask_workshop import MaskedBatch
from attention_lab.notation.notation import OURS, Notation

from ..matrices import Matrix, Side, board, difference
from ..payload import JSON, largest
from .scores_and_shares import scores_and_shares, shares

MOST_LARGE = 24  # sequences with more tokens are drawn small, all but the chosen one
MOST_FEATURES = 16
Cell = tuple[int, int, int]  # sequence, query, key


def sequences(made: MaskedBatch, head: int, cell: Cell, notation: Notation = OURS) -> JSON:
    """Masked scores and probabilities of one head, one column for each sequence of the batch."""
    trace, chosen = made.trace, cell[0]
    is_long = trace.sizes["T"] > MOST_LARGE
    limit = largest(trace.masked_scores[:, head])
    matrices = []
    for n, tokens in enumerate(made.batch.tokens):
        matrices += scores_and_shares(
            trace,
            (n, head),
            n,
            _sides(tokens),
            key=n,
            titles=(f"sequence {n}: scores", f"sequence {n}: shares"),
            limit=limit,
            small=is_long and n != chosen,
        )
    says = (
        f"Masked scores and probabilities of head {head} for every sequence of the batch; hidden"
        " cells are hatched."
    )
    return board(matrices, (f"scores {chosen}", *cell[1:]), says, notation)


def painting(
    painted_TT: Array, made: MaskedBatch, head: int, cell: Cell, notation: Notation = OURS
) -> JSON:
    """The painted mask, all masks together for one sequence, and what is left of its
    probabilities.
    """
    n, query, key = cell
    sides = _sides(made.batch.tokens[n])
    allowed = made.allowed[n]
    matrices = [
        Matrix(
            "painted", _shown(painted_TT), *sides, (0, 0), "your mask: click a cell", kind="logit"
        ),
        Matrix("together", _shown(allowed), *sides, (1, 0), "all masks together", kind="logit"),
    ]
    if len(allowed) <= MOST_LARGE:
        shares_TS = made.trace.probabilities[n, head]
        matrices.append(
            Matrix(
                "shares", shares_TS, *sides, (2, 0), "shares", kind="probability", hidden=~allowed
            )
        )
    says = "A mask to paint: a click hides a cell or shows it again."
    return board(matrices, ("painted", query, key), says, notation)


def emptied(
    made: MaskedBatch, without: Trace, head: int, cell: Cell, notation: Notation = OURS
) -> JSON:
    """One sequence with every key hidden from a query: masked scores, probabilities, and the
    output of the head.
    """
    n, query, key = cell
    sides = _sides(made.batch.tokens[n])
    matrices = [
        Matrix(
            "scores", without.masked_scores[n, head], *sides, (0, 0), "masked scores", kind="logit"
        ),
        shares("shares", "scores", without, (n, head), (1, 0), sides, "shares"),
        Matrix(
            "head output",
            without.head_outputs[n, head, :, :MOST_FEATURES],
            sides[0],
            Side("value feature"),
            (2, 0),
            "head output",
        ),
    ]
    return board(
        matrices,
        ("shares", query, key),
        f"Head {head} with every key hidden from one query.",
        notation,
    )


def padding(made: MaskedBatch, changed: Trace, cell: Cell, notation: Notation = OURS) -> JSON:
    """The output of one sequence, the output after its [pad] vectors were changed, and the
    difference.
    """
    n, query, _ = cell
    rows, features = Side("query position", made.batch.tokens[n]), Side("output feature")
    outputs = [trace.output[n, :, :MOST_FEATURES] for trace in (made.trace, changed)]
    limit = largest(np.stack(outputs))
    before, after = (
        Matrix(name, output, rows, features, (place, 0), name, limit=limit, role="output")
        for place, (name, output) in enumerate(
            zip(("output", "with other [pad] vectors"), outputs, strict=True)
        )
    )
    gap = difference(after, before, (2, 0))
    says = "The output of a sequence before and after the numbers of its [pad] tokens were changed."
    return board([before, after, gap], (gap.name, query, 0), says, notation)


def _sides(tokens: tuple[str, ...]) -> tuple[Side, Side]:
    return Side("query position", tokens), Side("key position", tokens)


def _shown(allowed_TT: Array) -> Array:
    """What a mask adds to the scores: 0 where a key may be seen, minus infinity where it may
    not.
    """
    cells: Array = np.where(allowed_TT, 0.0, -np.inf)
    return cells
