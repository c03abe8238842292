"""What the heads of a trained layer do with one unseen sequence, as a board."""

from __future__ import annotations

import math

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.labs.tasks import N_GENDERS, N_LETTERS

from ..matrices import Matrix, Side, matrix_board, softmax_rule
from ..payload import JSON

GENDER_SIGNS, NUMBER_SIGNS = ("♀", "♂", "○"), ("1", "+")


def token_labels(task: str, inputs_TD: Array) -> tuple[str, ...]:
    """The label of each token of a task: its position, and its letter or its gender and number.

    >>> import numpy as np
    >>> token_labels("agreement", np.array([[0.0, 1, 0, 0, 1, 5.2]]))
    ('0 ♂+',)
    """
    if task == "letters":
        kinds = [chr(ord("a") + int(place)) for place in inputs_TD[:, :N_LETTERS].argmax(axis=1)]
    elif task in ("agreement", "conjunction"):
        genders, numbers = (
            inputs_TD[:, :N_GENDERS].argmax(axis=1),
            inputs_TD[:, N_GENDERS : N_GENDERS + 2].argmax(axis=1),
        )
        kinds = [
            GENDER_SIGNS[gender] + NUMBER_SIGNS[count]
            for gender, count in zip(genders, numbers, strict=True)
        ]
    else:
        return tuple(str(place) for place in range(len(inputs_TD)))
    return tuple(f"{place} {kind}" for place, kind in enumerate(kinds))


def sequence_board(trace: Trace, labels: tuple[str, ...]) -> JSON:
    """The probabilities of every head for one sequence; each cell has its row of scores.

    The key that head 0 reads most for the first token is pinned.
    """
    n_heads, n_tokens = trace.sizes["H"], trace.sizes["T"]
    queries, keys = Side("query position", labels), Side("key position", labels)
    across = n_heads if n_heads < 4 else tiles_per_row(n_heads)
    drawn = []
    for head in range(n_heads):
        place = (head % across, head // across)
        drawn += [
            Matrix(
                f"scores {head}",
                trace.masked_scores[0, head],
                queries,
                keys,
                None,
                f"scores, head {head}",
                kind="logit",
            ),
            Matrix(
                f"probabilities {head}",
                trace.probabilities[0, head],
                queries,
                keys,
                place,
                f"head {head}",
                kind="probability",
                rule=softmax_rule(f"scores {head}", n_tokens),
            ),
        ]
    most = int(trace.probabilities[0, 0, 0].argmax())
    says = f"The attention of each head on a sequence that no training step saw. Heads: {n_heads}."
    return matrix_board(drawn, ("probabilities 0", 0, most), says)


def tiles_per_row(n_tiles: int) -> int:
    """The number of tiles in a row: at most 4, and without a gap at the end if possible.

    >>> [tiles_per_row(n) for n in (1, 2, 4, 6, 8, 16)]
    [1, 2, 2, 3, 4, 4]
    """
    root = math.ceil(math.sqrt(n_tiles))
    return next((n for n in range(root, 5) if n_tiles % n == 0), min(4, root))
