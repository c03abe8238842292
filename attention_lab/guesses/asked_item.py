"""A question on one cell of a layer, before it is answered."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import STEPS, Trace

from .items import Item

MAX_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class AskedItem:
    """An item on one cell of a trace.

    cell: the index without the batch. words: the word vectors without positions, shapes (T, D), if
    the inputs have them. columns: the names of the columns of the cell's matrix, if it
    has any.
    """

    item: Item
    trace: Trace
    field: str
    cell: tuple[int, ...]
    words: Array | None = None
    columns: tuple[str, ...] = ()

    @property
    def values(self) -> Array:
        """The engine's array without its batch."""
        array: Array = getattr(self.trace, self.field)[0]
        return array

    @property
    def largest(self) -> float:
        """The largest size of a number in the cell's matrix; in its head's part of it, if heads lie
        side by side.
        """
        matrix = self.values[self.cell[:-2]]
        if "·" in (last := STEPS[self.field].letters[-1]):
            width = self.trace.sizes[last.split("·")[1]]
            first = self.cell[-1] // width * width
            matrix = matrix[:, first : first + width]
        finite = np.abs(matrix[np.isfinite(matrix)])
        return float(finite.max(initial=0.0))

    @property
    def decimals(self) -> int:
        """The decimals of an answer; the last is worth 0.5 to 5 % of the largest number."""
        largest = self.largest
        digits = -math.floor(math.log10(largest / 20)) if largest > 0 else 2
        return min(max(0, digits), MAX_DECIMALS)

    @property
    def tolerance(self) -> float:
        """The largest error of a right number: one unit of its last decimal; 0 for a count."""
        return 0.0 if self.item.asks == "row" else 10.0**-self.decimals
