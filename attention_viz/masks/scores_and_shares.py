"""Masked scores above the shares that the softmax computes from them, as one column of a board."""

from __future__ import annotations

from attention_core import Trace

from ..matrices import Matrix, Side, mask_rule, softmax_rule

MAX_TOKENS_FULL_SIZE = 24  # of longer sequences only the chosen one is drawn in full size


def scores_and_shares(
    trace: Trace,
    at: tuple[int, int],
    column: int,
    sides: tuple[Side, Side],
    *,
    key: str | int,
    titles: tuple[str, str],
    limit: float,
    small: bool,
) -> list[Matrix]:
    """The matrices of one head in one column of the board, each computed from the one before: the
    scaled scores (not shown), the masked scores, and the shares.

    at: sequence and head. key: ends the names of these matrices. limit: the value of the strongest
    colour of the scores.
    """
    scaled, masked = f"scaled {key}", f"scores {key}"
    return [
        Matrix(scaled, trace.scaled_scores[at], *sides, None, "scaled scores", kind="logit"),
        Matrix(
            masked,
            trace.masked_scores[at],
            *sides,
            (column, 0),
            titles[0],
            kind="logit",
            limit=limit,
            rule=mask_rule(scaled),
            small=small,
        ),
        shares_matrix(f"shares {key}", masked, trace, at, (column, 1), sides, titles[1], small),
    ]


def shares_matrix(
    name: str,
    scores: str,
    trace: Trace,
    at: tuple[int, int],
    place: tuple[int, int],
    sides: tuple[Side, Side],
    title: str,
    small: bool = False,
) -> Matrix:
    """The share that each query of one head gives to each key, the softmax of another matrix.

    scores: the name of that matrix. at: sequence and head. place: on the board.
    """
    return Matrix(
        name,
        trace.probabilities[at],
        *sides,
        place,
        title,
        kind="probability",
        rule=softmax_rule(scores, trace.sizes["S"]),
        small=small,
        hidden=trace.hidden[at],
    )
