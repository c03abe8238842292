"""How many people are in a room: those who have asked for its news a moment ago."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from .limits import CLASS_LIMITS, Limits


class Presence:
    """When each visitor was seen last, in bounded memory. lasts: seconds after which one is gone.

    >>> now = [0.0]
    >>> presence = Presence(lasts=10.0, clock=lambda: now[0])
    >>> for visitor in ("a", "b", "a"):
    ...     presence.see("KXRT", visitor)
    >>> presence.count("KXRT"), presence.count("ABCD")
    (2, 0)
    >>> now[0] = 11.0
    >>> presence.count("KXRT")
    0
    """

    def __init__(
        self, lasts: float, clock: Callable[[], float], limits: Limits = CLASS_LIMITS
    ) -> None:
        self._lasts, self._clock, self._limits = lasts, clock, limits
        self._seen: OrderedDict[str, dict[str, float]] = OrderedDict()

    def see(self, room: str, visitor: str) -> None:
        """A visitor asks for the news of a room. Beyond the limit of voters nobody is added."""
        present = self._present(room)
        if visitor in present or len(present) < self._limits.voters:
            self._seen[room] = present | {visitor: self._clock()}
        while len(self._seen) > self._limits.rooms:
            self._seen.popitem(last=False)

    def is_in(self, room: str, visitor: str) -> bool:
        """Whether a visitor was seen lately."""
        return visitor in self._present(room)

    def leave(self, room: str, visitor: str) -> None:
        """A visitor turns out to be no student."""
        self._seen.get(room, {}).pop(visitor, None)

    def count(self, room: str) -> int:
        """How many were seen lately."""
        return len(self._present(room))

    def _present(self, room: str) -> dict[str, float]:
        gone = self._clock() - self._lasts
        return {one: at for one, at in self._seen.get(room, {}).items() if at > gone}
