"""How alike heads are: a matrix with a row and a column for each head."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_lab.heads.similarity import most_alike, overlap
from attention_lab.notation.notation import OURS, Notation

from ..labels import format_number, format_percent
from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON


def divergence_board(divergence_HH: Array, order: Sequence[int], notation: Notation = OURS) -> JSON:
    """The Jensen-Shannon divergence of each pair of heads, from 0 to ln 2, the closest pair lit."""
    pair = most_alike(-divergence_HH) or (order[0], order[-1])
    name = "Jensen–Shannon divergence"
    return _heads_matrix(divergence_HH, order, math.log(2), name, pair, notation)


def correlation_board(
    correlation_HH: Array, order: Sequence[int], notation: Notation = OURS
) -> JSON:
    """The centred correlation of each pair of heads, from -1 to 1, the most similar pair lit."""
    pair = most_alike(correlation_HH) or (order[0], order[-1])
    name = "centred correlation"
    return _heads_matrix(correlation_HH, order, 1.0, name, pair, notation, lowest=-1.0)


def describe_closest(divergence_HH: Array) -> str:
    """The two heads with the closest patterns, and how far these overlap."""
    near = most_alike(-divergence_HH)
    if near is None or not divergence_HH.any():
        return "All patterns are equal here. The values that the heads read can still differ."
    shared = format_percent(float(overlap(divergence_HH[near])))
    pair = _pair("Closest heads", near, len(divergence_HH))
    return (
        f"{pair} {format_number(divergence_HH[near], 3)}. Their patterns overlap to {shared}"
        " (1 − divergence / ln 2)."
    )


def describe_most_alike(correlation_HH: Array) -> str:
    """The two heads with the most similar preferences, and why some heads have no correlation."""
    sentences, alike = [], most_alike(correlation_HH)
    if alike:
        pair = _pair("Most similar heads", alike, len(correlation_HH))
        sentences.append(f"{pair} {format_number(correlation_HH[alike], 2)}.")
    if np.isnan(correlation_HH).any():
        sentences.append("Hatched: a head without preferences has no correlation.")
    return " ".join(sentences)


def _pair(best: str, pair: tuple[int, int], n_heads: int) -> str:
    """The names of two heads. If there are only two, they are not called the closest ones."""
    names = f"{pair[0]} and {pair[1]}:"
    if n_heads == 2:
        return f"Heads {names}"
    return f"{best}, {names}"


def _heads_matrix(
    numbers_HH: Array,
    order: Sequence[int],
    limit: float,
    name: str,
    pair: tuple[int, int],
    notation: Notation,
    lowest: float = 0.0,
) -> JSON:
    heads = tuple(f"head {head}" for head in order)
    matrix_HH = numbers_HH[list(order)][:, list(order)]
    matrix = Matrix(
        name,
        np.where(np.isnan(matrix_HH), -np.inf, matrix_HH),
        Side("row", heads),
        Side("column", heads),
        (0, 0),
        name,
        kind="logit",
        limit=limit,
        says=f"The {name} of these heads is",
    )
    description = (
        f"The {name} of each pair of heads, from {format_number(lowest, 2)} to"
        f" {format_number(limit, 2)}. Heads: {len(heads)}."
    )
    row, column = (list(order).index(head) for head in pair)
    return matrix_board([matrix], (name, row, column), description, notation)
