"""The board of the page *Change one word*: one head on both sentences, and the difference."""

from __future__ import annotations

from attention_lab.trained.change_a_word import ChangedWord

from ..matrices import Matrix, Side, difference_matrix, matrix_board
from ..payload import JSON


def changed_word_board(change: ChangedWord, layer: int, head: int, query: int, key: int) -> JSON:
    """One head before and after the change, and the difference, which the board computes."""
    before, after = (
        Matrix(
            name,
            shares_LHNN[layer, head],
            Side("query", tokens),
            Side("key", tokens),
            (column, 0),
            name,
            "",
            "probability",
        )
        for column, name, shares_LHNN, tokens in (
            (0, "before", change.before, change.tokens_before),
            (1, "after", change.after, change.tokens_after),
        )
    )
    gap = difference_matrix(after, before, (2, 0), "after − before")
    return matrix_board(
        [before, after, gap],
        (gap.name, query, key),
        f"Head {head} of layer {layer} on both sentences, and the difference.",
    )
