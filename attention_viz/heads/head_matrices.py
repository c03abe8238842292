"""How alike heads are, as matrices of heads."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attention_core.checks import Array

from ..labels import counted, number
from ..theme import Figure
from ..tiles import Sheet, Tile, tiled


def divergences(divergence_HH: Array, order: Sequence[int]) -> Figure:
    """The Jensen-Shannon divergence of each pair of heads, from 0 to ln 2, heads in a given order."""
    return _pairs(divergence_HH, order, "probability", math.log(2), "Jensen–Shannon divergence")


def correlations(correlation_HH: Array, order: Sequence[int]) -> Figure:
    """The centred correlation of each pair of heads, from -1 to 1, heads in a given order."""
    return _pairs(correlation_HH, order, "logit", 1.0, "centred correlation")


def _pairs(numbers_HH: Array, order: Sequence[int], kind: str, limit: float, name: str) -> Figure:
    heads = tuple(f"head {head}" for head in order)
    matrix_HH = numbers_HH[list(order)][:, list(order)]
    says = (
        f"The {name} of each pair of {counted(len(heads), 'head')}, which can lie between "
        f"{number(-limit if kind == 'logit' else 0.0, 2)} and "
    )
    sheet = Sheet(heads, heads, kind, limit, missing="a head without preferences", width=520, tallest=40)
    return tiled(sheet, [Tile(matrix_HH)], f"{says}{number(limit, 2)}.", across=1)
