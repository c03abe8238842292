"""What a head does most: it reads the token itself, the token before, or the first token."""

from collections.abc import Mapping
from dataclasses import dataclass

from .head_portraits import MEASURES
from .patterns import Pattern

# Measures that name what a head does, where their share is at least HABIT_SHARE.
_BY_KEY = {measure.key: measure for measure in MEASURES}
HABITS = tuple(map(_BY_KEY.__getitem__, ("self_mass", "previous_mass", "first_mass")))
EFFECTIVE_TOKENS = _BY_KEY["effective_tokens"]
HABIT_SHARE = 0.5


@dataclass(frozen=True)
class Habit:
    """What a head of the first sequence does, on average over its queries. shares: by the keys of
    `HABITS`; NaN if there is none. tokens: the effective tokens. largest: the key of the measure
    that names the head; "" if no share is at least `HABIT_SHARE`.
    """

    shares: Mapping[str, float]
    tokens: float

    @property
    def largest(self) -> str:
        """See the class."""
        known = {name: share for name, share in self.shares.items() if share >= HABIT_SHARE}
        return max(known, key=known.__getitem__, default="")


def habits_of(pattern: Pattern) -> list[Habit]:
    """What each head of the first sequence does.

    >>> import numpy as np
    >>> shares = np.array([[[[0.2, 0.8], [0.9, 0.1]], [[0.6, 0.4], [0.3, 0.7]]]])
    >>> [habit.largest for habit in habits_of(Pattern(shares, shares >= 0))]
    ['previous_mass', 'self_mass']
    """
    values = {
        measure.key: measure.value(pattern)[0] for measure in HABITS if measure.applies(pattern)
    }
    return [
        Habit({key: float(one[head]) for key, one in values.items()}, float(tokens))
        for head, tokens in enumerate(EFFECTIVE_TOKENS.value(pattern)[0])
    ]
