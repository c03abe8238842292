"""A state of the app beside the same state with one control changed: both layers, and what moved
most between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from attention_core.checks import (
    Array,
    check_choice,
)
from attention_core.counting import counted
from attention_core.errors import SettingsError, ShapeError
from attention_core.trace import Trace

from .scenario import Scenario, trace_of
from .state_file import checked_choice

# What decides how many tokens there are would give the two matrices other places; the user's own
# numbers are no control.
NOT_BESIDE = ("n_tokens", "piece", "edits", "own", "painted")
COMPARABLE = tuple(name for name in asdict(Scenario()) if name not in NOT_BESIDE)
FIELDS = ("masked_scores", "probabilities", "output")
# What stands beside a state that has another value; beside this value, the one that follows it.
USUAL: Mapping[str, tuple[Any, Any]] = {
    "embedding": ("integers", "normal"),
    "positions": (False, True),
    "d_model": (32, 16),
    "n_heads": (1, 2),
    "d_k": (2, 4),
    "d_v": (2, 4),
    "d_o": (6, 4),
    "weights": ("random", "weightless"),
    "layer": (3, 0),
    "init": ("normal", "xavier"),
    "seed": (1, 0),
    "output_matrix": ("none", "W_O"),
    "scaling": ("off", "on"),
    "scale": (0.5, 1.0),
    "mask": ("causal", "none"),
    "window": (1, 2),
    "residual": (True, False),
}


@dataclass(frozen=True)
class Moved:
    """The cell of two matrices that moved most, and its two numbers."""

    row: int
    column: int
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class TwoSettings:
    """Two layers that differ in one control. scenario: the one that `after` is run on."""

    before: Trace
    after: Trace
    scenario: Scenario

    @property
    def tokens(self) -> tuple[str, ...]:
        """One label for each position; where the sentences differ both words."""
        pairs = zip(self.before.labels("T"), self.after.labels("T"), strict=True)
        return tuple(one if one == other else f"{one} → {other}" for one, other in pairs)

    def head_beside(self, head: int) -> int:
        """The head of the changed layer that stands beside a head: the same, or its last one."""
        return min(head, self.after.sizes["H"] - 1)

    def matrices(self, field: str, head: int) -> tuple[Array, Array]:
        """Both matrices of a field; of the output those of the whole layer. Raises: ShapeError
        where they are not alike.
        """
        if field != "output":
            beside = self.head_beside(head)
            return getattr(self.before, field)[0, head], getattr(self.after, field)[0, beside]
        widths = [trace.sizes["O"] for trace in (self.before, self.after)]
        if widths[0] != widths[1]:
            raise ShapeError(
                f"the outputs have {widths[0]} and {widths[1]} features, so there is no difference"
                " between them: look at scores or probabilities"
            )
        return self.before.output[0], self.after.output[0]

    def elsewhere(self, head: int) -> float:
        """With how much of its attention a query of a head looks elsewhere after the change, on
        average: ½ Σ |after − before|. Units or range: 0 to 1.
        """
        before_TS, after_TS = self.matrices("probabilities", head)
        return float(0.5 * np.abs(after_TS - before_TS).sum(axis=-1).mean())


def other_value(scenario: Scenario, name: str) -> Any:
    """What stands beside a state where nobody has chosen it: another value of the control; the
    sentence from its end to its beginning.
    """
    if name == "text":
        return " ".join(reversed(scenario.text.split()))
    usual, otherwise = USUAL[name]
    return otherwise if getattr(scenario, name) == usual else usual


def value_in(name: str, text: str) -> Any:
    """The value of a control that a text means, such as an address holds it.

    Raises: SettingsError for what the control cannot be set to.

    >>> value_in("n_heads", "4"), value_in("residual", "true"), value_in("mask", "causal")
    (4, True, 'causal')
    """
    default = getattr(Scenario(), check_choice("name", name, COMPARABLE))
    return checked_choice(name, text if isinstance(default, str) else _typed(text, type(default)))


def _typed(text: str, kind: type) -> Any:
    """What a text says as a value of a type; where it says none, the text, which is refused."""
    if kind is bool:
        return {"true": True, "false": False}.get(text, text)
    try:
        return kind(text) if text.isascii() and len(text) < 20 else text
    except ValueError:
        return text


def beside(scenario: Scenario, name: str, value: Any) -> TwoSettings:
    """The layer of a state, and of the same state with one control set to a value.

    Raises: AttentionError where there is no such layer, or it has another number of tokens.
    """
    other = replace(scenario, **{name: value})
    before, after = trace_of(scenario), trace_of(other)
    lengths = [trace.sizes["T"] for trace in (before, after)]
    if lengths[0] != lengths[1]:
        raise SettingsError(
            f"the layers see {counted(lengths[0], 'token')} and {counted(lengths[1], 'token')}, so"
            " their matrices have other places: choose a sentence or weights with as many tokens,"
            " or set the sequence length"
        )
    return TwoSettings(before, after, other)


def moved_most(before: Array, after: Array, rounding: float = 0.0) -> Moved | None:
    """The cell that moved most between two matrices; None where nothing moved beyond rounding.
    What is minus infinity in one of them, because it is hidden, does not count.

    >>> moved_most(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]))
    Moved(row=0, column=0, before=0.5, after=0.75)
    """
    gaps = np.abs(differences(before, after))
    gaps[~np.isfinite(gaps)] = 0.0
    row, column = divmod(int(gaps.argmax()), gaps.shape[1])
    if gaps[row, column] <= rounding:
        return None
    return Moved(row, column, float(before[row, column]), float(after[row, column]))


def differences(before: Array, after: Array) -> Array:
    """After minus before, cell by cell; minus infinity where one of them is. Shapes: (R, C)."""
    hidden = np.isneginf(before) | np.isneginf(after)
    first, second = (np.where(np.isneginf(one), 0.0, one) for one in (before, after))
    gap: Array = np.where(hidden, -np.inf, second - first)
    return gap
