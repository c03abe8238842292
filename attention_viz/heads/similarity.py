"""How alike heads are: a matrix with a row and a column for each head."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_lab.heads.similarity import most_alike, overlap

from ..labels import number, percent
from ..sheet import Sheet
from ..theme import Figure
from ..tiles import Tile, tiled


def divergences(divergence_HH: Array, order: Sequence[int]) -> Figure:
    """The Jensen-Shannon divergence of each pair of heads, from 0 to ln 2."""
    return _matrix(divergence_HH, order, "probability", math.log(2), "Jensen–Shannon divergence")


def correlations(correlation_HH: Array, order: Sequence[int]) -> Figure:
    """The centred correlation of each pair of heads, from -1 to 1."""
    return _matrix(correlation_HH, order, "logit", 1.0, "centred correlation")


def closest_says(divergence_HH: Array) -> str:
    """The two heads with the closest patterns, and how far these overlap."""
    near = most_alike(-divergence_HH)
    if near is None or not divergence_HH.any():
        return "All patterns are equal here. The values that the heads read can still differ."
    shared = percent(float(overlap(divergence_HH[near])))
    return (
        f"{_pair('Closest', near, len(divergence_HH))} {number(divergence_HH[near], 3)}. Their"
        f" patterns overlap to {shared} (1 − divergence / ln 2)."
    )


def alike_says(correlation_HH: Array) -> str:
    """The two heads with the most similar preferences, and why some heads have no correlation."""
    sentences, alike = [], most_alike(correlation_HH)
    if alike:
        pair = _pair("Most alike", alike, len(correlation_HH))
        sentences.append(f"{pair} {number(correlation_HH[alike], 2)}.")
    if np.isnan(correlation_HH).any():
        sentences.append("Grey: a head without preferences has no correlation.")
    return " ".join(sentences)


def _pair(best: str, pair: tuple[int, int], n_heads: int) -> str:
    """The names of two heads. Of two heads in all, none is the closest or most alike."""
    names = f"heads {pair[0]} and {pair[1]}:"
    if n_heads == 2:
        return names.capitalize()
    return f"{best}: {names}"


def _matrix(numbers_HH: Array, order: Sequence[int], kind: str, limit: float, name: str) -> Figure:
    heads = tuple(f"head {head}" for head in order)
    matrix_HH = numbers_HH[list(order)][:, list(order)]
    lowest = {"logit": -limit, "probability": 0.0}[kind]
    says = (
        f"The {name} of each pair of heads, from {number(lowest, 2)} to {number(limit, 2)}. Heads:"
        f" {len(heads)}."
    )
    sheet = Sheet(
        heads, heads, kind, limit, missing="a head without preferences", width=520, tallest=40
    )
    return tiled(sheet, [Tile(matrix_HH)], says, across=1)
