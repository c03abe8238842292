"""Requests that wait for news of a room: their number is bounded, and one look at the room wakes
all of them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from attention_core.errors import AttentionError
from attention_lab.classroom.limits import CLASS_LIMITS, Limits, TooManyError

FRESH_SECONDS = 0.1  # between two looks at a room; all browsers get the same answer meanwhile


@dataclass(frozen=True)
class RoomNews:
    """The state of a room for a browser, as JSON. tag: changes with the body."""

    tag: str
    body: bytes


class Waiting:
    """The requests of this process that wait. look: gives the news for students or the teacher."""

    def __init__(
        self, look: Callable[[str, bool], RoomNews], limits: Limits = CLASS_LIMITS
    ) -> None:
        self._look, self._limits = look, limits
        self._by_source: Counter[str] = Counter()
        self._watches: dict[tuple[str, bool], asyncio.Task[None]] = {}

    async def news(
        self, room: str, to_teacher: bool, seen: str, source: str, seconds: float
    ) -> RoomNews | None:
        """The news of a room as soon as its tag is not the one seen; None if that takes longer.

        source: the network that asks.
        Raises: RoomError; TooManyError if there is nothing new and too many wait.
        """
        found = self._look(room, to_teacher)
        if found.tag != seen:
            return found
        if (
            self._by_source[source] >= self._limits.source_waiting
            or self._by_source.total() >= self._limits.waiting
        ):
            raise TooManyError("Too many wait for news; ask again in 1 s")
        self._by_source[source] += 1
        end = asyncio.get_running_loop().time() + seconds
        try:
            while found.tag == seen:
                left = end - asyncio.get_running_loop().time()
                if left <= 0:
                    return None
                await asyncio.wait({self._watch((room, to_teacher), seen, left)}, timeout=left)
                found = self._look(room, to_teacher)
            return found
        finally:
            self._by_source[source] -= 1
            if not self._by_source[source]:
                del self._by_source[source]

    def _watch(self, key: tuple[str, bool], tag: str, seconds: float) -> asyncio.Task[None]:
        """What ends when the tag of a room is another one: the same for all who wait for it."""
        known = self._watches.get(key)
        if known is None or known.done():
            known = self._watches[key] = asyncio.create_task(self._change(key, tag, seconds))
        return known

    async def _change(self, key: tuple[str, bool], tag: str, seconds: float) -> None:
        try:
            with suppress(AttentionError, TimeoutError):  # who waits looks again, and is told
                async with asyncio.timeout(seconds):
                    while self._look(*key).tag == tag:
                        await asyncio.sleep(FRESH_SECONDS)
        finally:
            self._watches.pop(key, None)
