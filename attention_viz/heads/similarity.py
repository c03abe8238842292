"""How alike heads are, as matrices of heads."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_lab.heads.similarity import most_alike, overlap

from ..labels import counted, number, percent
from ..sheet import Sheet
from ..theme import Figure
from ..tiles import Tile, tiled


def divergences(divergence_HH: Array, order: Sequence[int]) -> Figure:
    """The Jensen-Shannon divergence of each pair of heads, from 0 to ln 2, heads in a given
    order.
    """
    return _pairs(divergence_HH, order, "probability", math.log(2), "Jensen–Shannon divergence")


def correlations(correlation_HH: Array, order: Sequence[int]) -> Figure:
    """The centred correlation of each pair of heads, from -1 to 1, heads in a given order."""
    return _pairs(correlation_HH, order, "logit", 1.0, "centred correlation")


def closest_says(divergence_HH: Array) -> str:
    """Which two heads have the closest patterns; nothing stands out where all are equal."""
    near = most_alike(-divergence_HH)
    if near is None or not divergence_HH.any():
        return (
            "No two patterns differ here; what the heads read there, their values, may all the"
            " same."
        )
    return (
        f"{_named(near, 'Closest', divergence_HH)} {number(divergence_HH[near], 3)}; their patterns"
        f" overlap to {percent(float(overlap(divergence_HH[near])))} (1 − JSD / ln 2)."
    )


def alike_says(correlation_HH: Array) -> str:
    """Which two heads prefer most nearly the same, and why some have no correlation."""
    like = most_alike(correlation_HH)
    said = (
        [f"{_named(like, 'Most alike', correlation_HH)} {number(correlation_HH[like], 2)}."]
        if like
        else []
    )
    grey = (
        ["Grey: a head without preferences has no correlation."]
        if np.isnan(correlation_HH).any()
        else []
    )
    return " ".join(said + grey)


def _named(pair: tuple[int, int], best: str, numbers_HH: Array) -> str:
    """Two heads stand out only from others: opposite ones, alone, are not most alike."""
    one, other = pair
    return (
        f"{best}: heads {one} and {other} with"
        if len(numbers_HH) > 2
        else f"Heads {one} and {other}:"
    )


def _pairs(numbers_HH: Array, order: Sequence[int], kind: str, limit: float, name: str) -> Figure:
    heads = tuple(f"head {head}" for head in order)
    matrix_HH = numbers_HH[list(order)][:, list(order)]
    says = (
        f"The {name} of each pair of {counted(len(heads), 'head')}, which can lie between "
        f"{number(-limit if kind == 'logit' else 0.0, 2)} and "
    )
    sheet = Sheet(
        heads, heads, kind, limit, missing="a head without preferences", width=520, tallest=40
    )
    return tiled(sheet, [Tile(matrix_HH)], f"{says}{number(limit, 2)}.", across=1)
