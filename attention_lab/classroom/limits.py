"""The limits of all classes on one machine, and their errors."""

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
    """A class, a visitor or a network has reached a limit; others are not affected."""


@dataclass(frozen=True)
class Limits:
    """The limits of all rooms in one file.

    voters: of one room. per_source: voters of one room from one network address. pace: votes of one
    visitor per second, on average; burst: votes at once. source_pace, source_burst: the same for
    one network address, which a whole class may share. lasts: seconds until a room is deleted.
    """

    rooms: int = 200
    questions: int = 100
    voters: int = 600
    per_source: int = 300
    pace: float = 2.0
    burst: int = 5
    source_pace: float = 50.0
    source_burst: int = 300
    lasts: float = 24 * 3600.0


CLASS_LIMITS = Limits()


class RateLimiter:
    """A limit of actions per second for each visitor or address, in bounded memory.

    >>> now = [0.0]
    >>> limiter = RateLimiter(per_second=1.0, burst=2, clock=lambda: now[0])
    >>> [limiter.allows("a"), limiter.allows("a"), limiter.allows("a"), limiter.allows("b")]
    [True, True, False, True]
    >>> now[0] = 1.0
    >>> limiter.allows("a"), limiter.allows("a")
    (True, False)
    """

    def __init__(
        self, per_second: float, burst: int, clock: Callable[[], float], most: int = 10_000
    ) -> None:
        self._per_second, self._burst, self._clock, self._most = per_second, burst, clock, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, who: str) -> bool:
        """Whether this action is within the limit; an action beyond it is not counted."""
        now = self._clock()
        left, since = self._left.pop(who, (float(self._burst), now))
        left = min(float(self._burst), left + max(0.0, now - since) * self._per_second)
        is_within = left >= 1
        self._left[who] = (left - is_within, now)
        while len(self._left) > self._most:
            self._left.popitem(last=False)  # the one that has not acted for the longest time
        return is_within

    def seconds_to_wait(self) -> int:
        """Seconds after which one more action is certainly allowed."""
        return math.ceil(1 / self._per_second)


class Seats:
    """Who votes in a room from which address: one address cannot take the seats of all others."""

    def __init__(self, limits: Limits = CLASS_LIMITS) -> None:
        self._limits = limits
        self._taken: OrderedDict[str, dict[str, set[str]]] = OrderedDict()

    def take(self, room: str, source: str, visitor: str) -> None:
        """Give a visitor a seat to keep. Raises: TooManyError if no seat is left."""
        by_source = self._taken.setdefault(room, {})
        mine = by_source.setdefault(source, set())
        if visitor in mine:
            return
        if len(mine) >= self._limits.per_source:
            raise TooManyError(
                f"{len(mine)} people have answered from your network address, and no more are"
                " allowed; open a second room"
            )
        if sum(map(len, by_source.values())) >= 2 * self._limits.voters:
            raise TooManyError("This room is full; open a second room")
        mine.add(visitor)
        while len(self._taken) > 2 * self._limits.rooms:
            self._taken.popitem(last=False)
