"""What a field of the `Trace` declares about itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

AXES = {
    "B": "batch",
    "H": "head",
    "G": "key/value head",
    "T": "query position",
    "S": "key position",
    "D": "model feature",
    "M": "memory feature",
    "O": "output feature",
    "K": "query/key feature",
    "V": "value feature",
}
# The axes of what is not an intermediate: weights, biases, settings, and the two parts of the
# inputs.
GIVEN_AXES = {
    "w_q": "D H·K",
    "w_k": "M G·K",
    "w_v": "M G·V",
    "w_o": "H·V O",
    "b_q": "H·K",
    "b_k": "G·K",
    "b_v": "G·V",
    "b_o": "O",
    "scale": "",
    "bias": "B H T S",
    "words": "T D",
    "positions": "T D",
}


@dataclass(frozen=True)
class Step:
    """What one field of the `Trace` is. Everything shown about it is read from here.

    axes: one letter of `AXES` per array axis; "H·K" is an axis that holds H blocks of K. kind:
    feature, logit or probability; it chooses the colour scale. needs: the fields it is computed
    from. symbol, formula: LaTeX. says: one sentence a student understands. The field's name, its
    formula and its sentence stand beside the `Step`. The NumPy statements are in `numpy_code`.
    """

    axes: str
    kind: str
    symbol: str
    needs: str
    formula: str = ""
    says: str = ""
    name: str = ""

    @property
    def letters(self) -> tuple[str, ...]:
        """The axes one by one."""
        return tuple(self.axes.split())

    @property
    def title(self) -> str:
        """The field's name in words."""
        return self.name.replace("_", " ")

    @property
    def per_head(self) -> bool:
        """Whether the field holds one matrix per head."""
        return len(self.letters) == 4


Shapes = tuple[tuple[int, ...], ...]


def axis_size(axis: str, sizes: dict[str, int]) -> int:
    """The length of an axis, which may hold blocks: "H·K" is H times K long."""
    return math.prod(sizes[letter] for letter in axis.split("·"))


def shapes_of(steps: Iterable[Step]) -> Callable[[tuple[tuple[str, int], ...]], Shapes]:
    """A function that gives the shape of every step for the sizes of a layer.

    What it gives is kept for the next call: working it out takes half as long as a tiny layer.
    """
    axes_of_steps = [step.letters for step in steps]

    @lru_cache
    def shapes(sizes: tuple[tuple[str, int], ...]) -> Shapes:
        lengths = dict(sizes)
        return tuple(tuple(axis_size(axis, lengths) for axis in axes) for axes in axes_of_steps)

    return shapes
