"""What a class may take of the machine, and the errors that say so."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from attention_core.errors import AttentionError


class RoomError(AttentionError):
    """No room has these letters."""


class RightsError(AttentionError):
    """Only the teacher of the room may do this."""


class ClosedError(AttentionError):
    """The vote on this question is not open."""


class TooManyError(AttentionError):
    """More than a class may take of the machine; nobody else is hindered."""


@dataclass(frozen=True)
class Limits:
    """The bounds of all rooms of one file; seconds where nothing else is said.

    voters: of one room. per_source: voters of one room from one network address. pace: votes of one
    visitor in a second, on average; burst: as many at once.
    """

    rooms: int = 200
    questions: int = 100
    voters: int = 600
    per_source: int = 300
    pace: float = 2.0
    burst: int = 5
    lasts: float = 24 * 3600.0


LIMITS = Limits()


class Pace:
    """So many acts a second for everybody, each counted by himself, in a bounded memory.

    >>> now = [0.0]
    >>> pace = Pace(per_second=1.0, burst=2, clock=lambda: now[0])
    >>> [pace.takes("a"), pace.takes("a"), pace.takes("a"), pace.takes("b")]
    [True, True, False, True]
    >>> now[0] = 1.0
    >>> pace.takes("a"), pace.takes("a")
    (True, False)
    """

    def __init__(
        self, per_second: float, burst: int, clock: Callable[[], float], most: int = 10_000
    ) -> None:
        self._per_second, self._burst, self._clock, self._most = per_second, burst, clock, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def takes(self, who: str) -> bool:
        """Whether this act of somebody is within his pace; one beyond it is not counted."""
        now = self._clock()
        left, since = self._left.pop(who, (float(self._burst), now))
        left = min(float(self._burst), left + max(0.0, now - since) * self._per_second)
        is_within = left >= 1
        self._left[who] = (left - is_within, now)
        while len(self._left) > self._most:
            self._left.popitem(last=False)  # who was quiet for the longest time
        return is_within

    def wait(self) -> int:
        """Seconds after which one more act is taken at the latest."""
        return math.ceil(1 / self._per_second)
