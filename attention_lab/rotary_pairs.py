"""One pair of features before and after its turn, and how little a shift of all positions does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_core.errors import SettingsError
from attention_core.positions import Rotary, pair_members
from attention_core.trace import Trace

from .heads.reruns import rerun


@dataclass(frozen=True)
class TurnedPair:
    """A pair of features at a position: its features, the angle in radians, and its two numbers
    before and after.
    """

    first: int
    second: int
    position: int
    angle: float
    before: tuple[float, float]
    after: tuple[float, float]

    @property
    def length(self) -> float:
        """The length of its arrow."""
        return math.hypot(*self.before)


def pair_of(trace: Trace, field: str, cell: Sequence[int]) -> TurnedPair:
    """The pair of a cell of turned queries or keys. Raises: SettingsError without rotary positions.

    >>> from attention_core import Projections, Rotary, attend
    >>> trace = attend([[0.0, 0.0], [1.0, 0.0]], Projections.weightless(2), rotary=Rotary())
    >>> pair = pair_of(trace, "turned_keys", (0, 0, 1, 0))
    >>> pair.angle, round(pair.after[1], 4)
    (1.0, 0.8415)
    """
    rotary, (batch, head, token, feature) = _rotary_of(trace), cell
    d_k, position = trace.sizes["K"], rotary.start + token
    members = pair_members(d_k, rotary.pairs)
    first, second = (int(member[feature]) for member in members)
    pair = first // 2 if rotary.pairs == "neighbours" else first
    (source,) = trace.needs(field)
    before, after = (getattr(trace, name)[batch, head, token] for name in (source, field))
    return TurnedPair(
        first,
        second,
        position,
        position / float(rotary.base) ** (2 * pair / d_k),
        (float(before[first]), float(before[second])),
        (float(after[first]), float(after[second])),
    )


def shift_gap(trace: Trace, places: int) -> float:
    """The largest change of a score when all positions grow by some places. Raises: SettingsError
    without rotary positions.
    """
    rotary = _rotary_of(trace)
    moved = rerun(trace, rotary=replace(rotary, start=rotary.start + places))
    return float(np.abs(moved.scores - trace.scores).max())


def _rotary_of(trace: Trace) -> Rotary:
    if trace.rotary is None:
        raise SettingsError("this layer has no rotary positions; switch them on")
    return trace.rotary
