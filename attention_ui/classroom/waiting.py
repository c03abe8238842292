"""Requests that wait for news of a room: one loop looks at each room and answers all of them.

Who is in a room has a measure of their own. All others of a network share one, and beyond it they
are answered late, some in each round: a flood then waits for itself, and hardly costs the server.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from attention_core.errors import AttentionError
from attention_lab.classroom.limits import CLASS_LIMITS, Limits, RateLimiter, TooManyError

FRESH_SECONDS = 0.1  # between two looks at a room; all browsers get the same answer meanwhile
# Of one member of a room, in the tabs of a browser; a page that was reloaded leaves one behind.
MEMBER_WAITING = 4
# Answers at once, and then a second. A teacher gets ten while a class votes; when the teacher goes
# on, everybody of a network gets one and asks again.
MEMBER_BURST, MEMBER_PACE = 40, 20.0
NETWORK_BURST, NETWORK_PACE = 700, 100.0
LATE_IN_A_ROUND = 40  # 400 a second, a fifth of a core
MAX_LATE = 5000


@dataclass(frozen=True)
class RoomNews:
    """The state of a room for a browser, as JSON. tag: changes with the body."""

    tag: str
    body: bytes


@dataclass(eq=False)
class Waiter:
    """A request that waits until the tag of its room is not the one seen, or until a time of the
    loop's clock. is_late: it is answered only then.
    """

    seen: str
    until: float
    is_late: bool
    answer: asyncio.Future[RoomNews | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Waiting:
    """The requests of this process that wait. look: gives the news for students or the teacher."""

    def __init__(
        self,
        look: Callable[[str, bool], RoomNews],
        limits: Limits = CLASS_LIMITS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look, self._limits = look, limits
        self._members = RateLimiter(MEMBER_PACE, MEMBER_BURST, clock)
        self._networks = RateLimiter(NETWORK_PACE, NETWORK_BURST, clock)
        self._waiting: Counter[str] = Counter()  # by network, or by member
        self._waiters: dict[tuple[str, bool], list[Waiter]] = {}
        self._n_others = self._n_late = 0
        self._rounds: asyncio.Task[None] | None = None

    async def news(
        self,
        room: str,
        to_teacher: bool,
        seen: str,
        source: str,
        seconds: float,
        member: str = "",
    ) -> RoomNews | None:
        """The news of a room as soon as its tag is not the one seen; None if that takes longer.

        source: the network that asks. member: who is in the room; they are not counted with it.
        Raises: RoomError; TooManyError if there is nothing new and too many wait.
        """
        who, latest = f"{room} {member}" if member else source, self._look(room, to_teacher)
        is_new = latest.tag != seen
        if is_new and (self._members if member else self._networks).allows(who):
            return latest
        is_late = is_new or self._is_full(who, bool(member))
        if is_late and self._n_late >= MAX_LATE:
            raise TooManyError("Too many ask for news; ask again in 1 s")
        until = asyncio.get_running_loop().time() + seconds
        waiter = Waiter(seen, until, is_late)
        self._count(who, waiter, member, 1)
        try:
            self._waiters.setdefault((room, to_teacher), []).append(waiter)
            if self._rounds is None or self._rounds.done():
                self._rounds = asyncio.create_task(self._answer_in_rounds())
            news = await waiter.answer
        finally:
            self._count(who, waiter, member, -1)
        if news is None and is_late:
            raise TooManyError("Too many wait for news; ask again in 1 s")
        return news

    def _is_full(self, who: str, is_member: bool) -> bool:
        if is_member:
            return self._waiting[who] >= MEMBER_WAITING
        return (
            self._waiting[who] >= self._limits.source_waiting
            or self._n_others >= self._limits.waiting
        )

    def _count(self, who: str, waiter: Waiter, member: str, change: int) -> None:
        if waiter.is_late:
            self._n_late += change
            return
        self._n_others += 0 if member else change
        self._waiting[who] += change
        if not self._waiting[who]:
            del self._waiting[who]

    async def _answer_in_rounds(self) -> None:
        """Look at every room for which somebody waits, as long as somebody does."""
        try:
            while self._waiters:
                await asyncio.sleep(FRESH_SECONDS)
                left = LATE_IN_A_ROUND
                for key, waiters in list(self._waiters.items()):
                    left = self._answer(key, waiters, left)
        finally:  # nobody waits forever, even after a bug
            for waiters in self._waiters.values():
                for waiter in waiters:
                    waiter.answer.cancel()
            self._waiters.clear()

    def _answer(self, key: tuple[str, bool], waiters: list[Waiter], left: int) -> int:
        """Answer those who need not wait any longer; gives how many late ones may still be answered
        in this round.
        """
        now, staying = asyncio.get_running_loop().time(), []
        try:
            news = self._look(*key)
        except AttentionError as error:
            for waiter in waiters:
                if not waiter.answer.done():
                    waiter.answer.set_exception(error)
            del self._waiters[key]
            return left
        for waiter in waiters:
            is_new, is_over = news.tag != waiter.seen, now >= waiter.until
            if waiter.answer.done():
                continue  # its browser is gone
            if is_over and waiter.is_late and left > 0:
                left -= 1
                waiter.answer.set_result(news if is_new else None)
            elif not waiter.is_late and (is_new or is_over):
                waiter.answer.set_result(news if is_new else None)
            else:
                staying.append(waiter)
        if staying:
            self._waiters[key] = staying
        else:
            del self._waiters[key]
        return left
