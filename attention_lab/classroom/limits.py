"""The limits of all classes on one machine, and their errors."""

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

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
    """The limits of all rooms. A network is a whole school, so what one visit may do is less.

    rooms: at the same time; rooms_per_network: of them, opened from one network; rooms_per_visit:
    in one visit. idle: seconds without a student, after which a room gives way where another one
    needs its place. lasts: seconds in which a room is used by nobody before it is deleted.
    voters: of one room; per_source: from one network. pace: votes of one visitor per second, on
    average; burst: votes at once. source_pace, source_burst: the same for those of one network who
    are not in the room yet. misses: letters of no room that one network may try at once, then
    miss_pace a second; visit_misses, visit_miss_pace: in one visit. waiting: requests for news that
    wait at the same time, in one process of the app; source_waiting: from one network.
    """

    rooms: int = 400
    rooms_per_network: int = 40
    rooms_per_visit: int = 4
    idle: float = 1800.0
    lasts: float = 24 * 3600.0
    questions: int = 100
    voters: int = 600
    per_source: int = 300
    pace: float = 2.0
    burst: int = 5
    source_pace: float = 10.0
    source_burst: int = 100
    misses: int = 300
    miss_pace: float = 2.0
    visit_misses: int = 20
    visit_miss_pace: float = 1.0
    waiting: int = 1500
    source_waiting: int = 350


CLASS_LIMITS = Limits()


def network_of(host: str | None) -> str:
    """The network of a visitor, by which limits count: an address of IPv4, and of IPv6 the first 48
    bits, which a school has for itself (RFC 6177); whoever has fewer cannot pass for several.

    >>> network_of("192.0.2.7"), network_of("::ffff:192.0.2.7"), network_of("2001:db8:0:7::1")
    ('192.0.2.7', '192.0.2.7', '2001:db8::')
    """
    try:
        address = ip_address(host or "127.0.0.1")
    except ValueError:
        return str(host)
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Address(int(address) >> 80 << 80))


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
        left, now = self._now_left(who), self._clock()
        is_within = left >= 1
        self._left[who] = (left - is_within, now)
        self._left.move_to_end(who)
        while len(self._left) > self._most:
            self._left.popitem(last=False)  # the one that has not acted for the longest time
        return is_within

    def would_allow(self, who: str) -> bool:
        """Whether an action would be within the limit; it is not counted."""
        return self._now_left(who) >= 1

    def _now_left(self, who: str) -> float:
        """How many actions are left."""
        left, since = self._left.get(who, (float(self._burst), 0.0))
        return min(float(self._burst), left + (self._clock() - since) * self._per_second)

    def seconds_to_wait(self) -> int:
        """Seconds after which one more action is certainly allowed."""
        return math.ceil(1 / self._per_second)
