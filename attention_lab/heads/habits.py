"""What a head does most: it reads the token before, the token after, itself or the first token."""

from __future__ import annotations

from dataclasses import dataclass

from .head_portraits import MEASURES
from .patterns import Pattern

# Measures that name what a head does, where their share is at least HABIT_SHARE.
HABIT_MEASURES = ("previous_mass", "next_mass", "self_mass", "first_mass")
HABITS = tuple(measure for measure in MEASURES if measure.key in HABIT_MEASURES)
HABIT_SHARE = 0.5


@dataclass(frozen=True)
class Habit:
    """What a head does most. measure: one of `HABIT_MEASURES`, or "" if the head has no such habit;
    then the share is its largest one, which a query gives to a key.
    """

    measure: str
    share: float
    query: int
    key: int


def habit_of(pattern: Pattern, head: int) -> Habit:
    """The habit of a head of the first sequence, or its largest share.

    >>> import numpy as np
    >>> shares = np.array([[[[0.2, 0.8], [0.9, 0.1]], [[0.6, 0.4], [0.3, 0.7]]]])
    >>> before, itself = (habit_of(Pattern(shares, shares >= 0), head) for head in (0, 1))
    >>> before.measure, before.share, itself.measure
    ('previous_mass', 0.9, 'self_mass')
    """
    shares_TS = pattern.probabilities[0, head]
    query, key = divmod(int(shares_TS.argmax()), shares_TS.shape[1])
    shares = {
        measure.key: float(measure.value(pattern)[0, head])
        for measure in HABITS
        if measure.applies(pattern)
    }
    known = {name: share for name, share in shares.items() if share >= HABIT_SHARE}  # no NaN
    if known:
        name = max(known, key=known.__getitem__)
        return Habit(name, known[name], query, key)
    return Habit("", float(shares_TS[query, key]), query, key)
