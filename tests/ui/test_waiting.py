"""One loop answers all requests for news; a flood of them waits for itself."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import pairwise
from typing import Any

import pytest

from attention_lab.classroom.limits import Limits, RoomError, TooManyError
from attention_ui.classroom import waiting as waiting_module
from attention_ui.classroom.waiting import (
    LATE_IN_A_ROUND,
    MEMBER_BURST,
    NETWORK_BURST,
    RoomNews,
    Waiting,
)

HOST, VISITOR = "192.0.2.7", "a visitor of the room"


def waits(waiting: Waiting, n: int, seen: str, **about: Any) -> list[asyncio.Task[Any]]:
    """Requests for news, all of one network, that begin to wait."""
    return [
        asyncio.create_task(waiting.news("KXRTB", False, seen, HOST, 5.0, **about))
        for _ in range(n)
    ]


async def rounds(n: int) -> None:
    """Let rounds go by, which take no time here."""
    for _ in range(3 * n):
        await asyncio.sleep(0)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the loop, which stands still; rounds follow one another at once."""
    now, yield_to_others = [0.0], asyncio.sleep
    loop = asyncio.get_running_loop

    class Standing:
        """A loop whose clock is ours."""

        def time(self) -> float:
            return now[0]

        def create_future(self) -> asyncio.Future[Any]:
            return loop().create_future()

    monkeypatch.setattr(waiting_module.asyncio, "sleep", lambda seconds: yield_to_others(0))
    monkeypatch.setattr(waiting_module.asyncio, "get_running_loop", Standing)
    return now


def test_who_asks_too_often_is_answered_late_and_few_at_a_time(quick: list[float]) -> None:
    tags = ["old"]

    async def visit() -> None:
        waiting = Waiting(lambda room, to_teacher: RoomNews(tags[0], b""), clock=lambda: 0.0)
        assert all(one.tag for one in await asyncio.gather(*waits(waiting, NETWORK_BURST, "")))
        late = waits(waiting, 3 * LATE_IN_A_ROUND, "")
        member = waits(waiting, MEMBER_BURST + 1, "", member=VISITOR)
        await rounds(5)
        assert not any(one.done() for one in late)
        assert [one.done() for one in member] == [True] * MEMBER_BURST + [False]
        quick[0] = 5.0
        n_done = [0]
        for _ in range(100):
            await asyncio.sleep(0)
            n_done.append(sum(one.done() for one in (*late, member[-1])))
        steps = {after - before for before, after in pairwise(n_done)}
        assert n_done[-1] == 3 * LATE_IN_A_ROUND + 1
        assert max(steps) <= LATE_IN_A_ROUND
        assert {(await one).tag for one in late} == {"old"}

    asyncio.run(visit())


def test_beyond_all_measures_a_request_is_refused_at_once(
    quick: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_module, "MAX_LATE", 3)

    async def visit() -> None:
        limits = Limits(source_waiting=2)
        waiting = Waiting(lambda room, to_teacher: RoomNews("old", b""), limits)
        asking = waits(waiting, 6, "old")
        await rounds(5)
        assert [one.done() for one in asking] == [False] * 5 + [True]
        assert isinstance(asking[5].exception(), TooManyError)
        quick[0] = 5.0
        await rounds(5)
        found = [one.exception() or one.result() for one in asking[:5]]
        assert found[:2] == [None, None]
        assert all(isinstance(one, TooManyError) for one in found[2:])
        again = waits(waiting, 2, "old")
        await rounds(5)
        assert not any(one.done() for one in again), "the places are free again"
        quick[0] = 10.0
        await asyncio.gather(*again)

    asyncio.run(visit())


def test_all_are_answered_by_one_task(quick: list[float]) -> None:
    """Also if the room goes, or a look at it fails."""
    state: list[Any] = [RoomNews("old", b"")]

    def look(room: str, to_teacher: bool) -> RoomNews:
        if isinstance(state[0], Exception):
            raise state[0]
        news: RoomNews = state[0]
        return news

    async def visit() -> None:
        waiting = Waiting(look)
        before = len(asyncio.all_tasks())
        for failure, told in (
            (RoomError("gone"), RoomError),
            (ZeroDivisionError(), asyncio.CancelledError),
        ):
            state[0] = RoomNews("old", b"")
            asking = waits(waiting, 300, "old")
            await rounds(2)
            assert len(asyncio.all_tasks()) == before + 300 + 1
            state[0] = failure
            found = await asyncio.gather(*asking, return_exceptions=True)
            assert {type(one) for one in found} == {told}
            with contextlib.suppress(ZeroDivisionError):
                await waiting._rounds
            assert not waiting._waiters

    asyncio.run(visit())
