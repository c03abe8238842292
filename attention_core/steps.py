"""What a field of the `Trace` declares about itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .checks import Array
from .gradients import Backward
from .layer import Layer
from .rules import Rule

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
# The axes of weights, biases and settings, and of the two parts of the inputs.
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


class Gradient(NamedTuple):
    """How the gradient of something that a step reads is computed: LaTeX in our letters, in which
    the gradient of the loss with respect to A is written ∇_A; and one sentence for a student.
    """

    formula: str
    sentence: str


@dataclass(frozen=True)
class Step:
    """What one field of the `Trace` is. Everything shown about it is read from here.

    axes: one letter of `AXES` per array axis; "H·K" is an axis that holds H blocks of K. kind:
    feature, logit or probability; it chooses the colour scale. symbol: LaTeX. formula: LaTeX, with
    the parts that depend on notation and options in angle brackets: `attention_lab.notation` writes
    it. sentence: what it is, for a student. numpy, torch: the statements that compute it from what
    it needs; what stands in braces depends on the options of a layer (`numpy_code`). rule: how each
    cell is computed, for a layer. magnitude: what its rounding errors are a small part of, from
    those of the fields before it. backward: the gradients of what it reads, from its own; a field
    that several steps read collects from all. gradients: how these are computed, each described
    once. needs: the fields it is computed from. role: query, key, value, output or text; it chooses
    the colour of the frame. name: of the field.
    """

    axes: str
    kind: str
    symbol: str
    formula: str
    sentence: str
    numpy: str
    torch: str
    rule: Callable[[Layer], Rule]
    magnitude: Callable[[Layer, Mapping[str, Array]], Array]
    backward: Backward
    gradients: Mapping[str, Gradient] = field(default_factory=dict)
    needs: str = ""
    role: str = "text"
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


def axis_size(axis: str, sizes: dict[str, int]) -> int:
    """The length of an axis, which may hold blocks: "H·K" is H times K long."""
    return math.prod(sizes[letter] for letter in axis.split("·"))
