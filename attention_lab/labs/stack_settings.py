"""What decides a run of the deep stack, as plain values that fit into a URL, and the four
rows of its table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from attention_core.checks import (
    check_choice,
    check_switch,
    number_between,
    seed_number,
    whole_number,
)
from attention_core.errors import SettingsError
from attention_core.head_widths import divisors
from attention_core.limits import check_seconds

from .textures import CLASSES

WIDTH = 16
N_CLASSES = len(CLASSES)
LIMITS = {"n_layers": (1, 24), "n_steps": (1, 10_000), "batch": (1, 256)}


@dataclass(frozen=True)
class Row:
    """How W_Q, W_K and W_V of a row start, and whether they stay orthonormal.

    unit_variance: Glorot's numbers shrunk to variance 1/D, at which a layer keeps the size of what
    it reads.
    """

    says: str
    orthonormal: bool = False
    unit_variance: bool = False
    constrained: bool = False

    def gain(self, n_heads: int) -> float:
        """What Glorot's numbers are multiplied by; their variance for a D x D/h matrix is 2/(D
        + D/h).
        """
        return (
            math.sqrt((1 + 1 / whole_number("n_heads", n_heads, 1)) / 2)
            if self.unit_variance
            else 1.0
        )


ROWS = {
    "glorot": Row("Glorot's initialisation, free: the default of the package."),
    "scaled": Row("Glorot's numbers shrunk to variance 1/D, free.", unit_variance=True),
    "orthonormal": Row("Orthonormal columns at the start, free afterwards.", orthonormal=True),
    "stiefel": Row("Orthonormal columns at every step.", orthonormal=True, constrained=True),
}


@dataclass(frozen=True)
class StackSettings:
    """Everything that decides a run. loss: "relative error", as the package has it, or
    "cross-entropy".

    Raises: SettingsError for a value outside its range.
    """

    row: str = "stiefel"
    loss: str = "relative error"
    n_layers: int = 12
    n_heads: int = 4
    n_steps: int = 200
    batch: int = 32
    learning_rate: float = 0.001
    connection: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in LIMITS.items():
            whole_number(name, getattr(self, name), low, high)
        seed_number(self.seed)
        number_between("learning_rate", self.learning_rate, 1e-6, 1.0)
        check_switch("connection", self.connection)
        check_choice("row", self.row, ROWS)
        check_choice("loss", self.loss, ("relative error", "cross-entropy"))
        if whole_number("n_heads", self.n_heads) not in divisors(WIDTH):
            fitting = ", ".join(map(str, divisors(WIDTH)))
            raise SettingsError(
                f"n_heads is {self.n_heads} but must divide {WIDTH}: choose one of {fitting}"
            )


def check_stack(settings: StackSettings) -> None:
    """Raises: SettingsError for a run of more than a minute."""
    check_seconds(
        expected_stack_seconds(settings), "choose fewer steps, fewer layers or a smaller batch"
    )


def expected_stack_seconds(settings: StackSettings) -> float:
    """About how long a run takes on one core, right within a factor of two: per layer and step,
    and per sequence.
    """
    manifold = 1e-4 if ROWS[settings.row].constrained else 0.0
    per_layer = 3e-4 + manifold + settings.batch * (3e-6 + 3e-6 * settings.n_heads)
    return settings.n_steps * settings.n_layers * per_layer
