"""What a head does most: it reads the token itself, the token before, or the first token."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from attention_core.trace import Trace

from ..words.numbers import Count, Number, Share
from .head_portraits import MEASURES
from .patterns import pattern_of

# Measures that name what a head does, where their share is at least HABIT_SHARE.
_BY_KEY = {measure.key: measure for measure in MEASURES}
HABITS = tuple(map(_BY_KEY.__getitem__, ("self_mass", "previous_mass", "first_mass")))
EFFECTIVE_TOKENS = _BY_KEY["effective_tokens"]
HABIT_SHARE = 0.5


@dataclass(frozen=True)
class HabitFacts:
    """What a head does, on average over its queries. shares: of `HABITS`, in their order; None if
    there is none. tokens: effective tokens. largest: the place of the share that names the head;
    None if none is at least `HABIT_SHARE`.
    """

    head: Count
    shares: tuple[Share | None, ...]
    tokens: Number

    @property
    def largest(self) -> int | None:
        """See the class."""
        largest = max(share or 0 for share in self.shares)
        return self.shares.index(largest) if largest >= HABIT_SHARE else None


def all_habits(trace: Trace, heads: Sequence[int], digits: int = 1) -> tuple[HabitFacts, ...]:
    """What each of some heads of the first sequence does, with shares of so many decimals.

    >>> from attention_core import Projections, attend
    >>> (habit,) = all_habits(attend([[2.0], [5.0]], Projections.weightless(1)), [0])
    >>> [f"{share}" for share in habit.shares], habit.largest
    (['50.1 %', '0.0 %', '0.1 %'], 0)
    """
    pattern = pattern_of(trace)
    values = [one.value(pattern)[0] if one.applies(pattern) else None for one in HABITS]
    tokens_H = EFFECTIVE_TOKENS.value(pattern)[0]
    return tuple(
        HabitFacts(
            Count(head),
            tuple(
                None if one is None or isnan(one[head]) else Share(one[head], digits)
                for one in values
            ),
            Number(tokens_H[head], 1),
        )
        for head in heads
    )
