"""What the server does while nobody asks it: rooms that nobody uses, files of visitors who have
left and the memory that they took go also where no other visitor comes.
"""

import asyncio
import ctypes
import gc
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from attention_core.errors import AttentionError
from attention_lab import cache
from attention_lab.classroom.place import class_place, is_there

from .classroom.room_service import room_service
from .streamlit_private import end_visits_that_are_over, n_visits
from .upload_limits import LeftFiles

SECONDS_BETWEEN_VISITS, SECONDS_BETWEEN_ROOMS = 10.0, 300.0
M_ARENA_MAX = -8  # the option of glibc's mallopt


@asynccontextmanager
async def housekeeping() -> AsyncIterator[None]:
    """Keep house as long as the server runs."""
    after_visits = AfterVisits()
    tasks = [
        asyncio.create_task(every(SECONDS_BETWEEN_VISITS, end_visits_that_are_over)),
        asyncio.create_task(every(SECONDS_BETWEEN_VISITS, LeftFiles().drop)),
        asyncio.create_task(every(SECONDS_BETWEEN_VISITS, after_visits.look)),
        asyncio.create_task(every(SECONDS_BETWEEN_ROOMS, delete_unused_rooms)),
    ]
    yield
    for task in tasks:
        task.cancel()


async def every(seconds: float, act: Callable[[], None]) -> None:
    """Act again and again."""
    while True:
        await asyncio.sleep(seconds)
        act()


def delete_unused_rooms() -> None:
    """Delete the rooms that nobody has used for a day, if there ever was a room."""
    if is_there(class_place()):
        with suppress(AttentionError):  # who opens or joins a room is told
            room_service().rooms.delete_old()


class AfterVisits:
    """Gives memory back when half of the visitors have left, and again when all have."""

    def __init__(self) -> None:
        self._most = 0  # visitors since memory was given back
        self._again = False  # what a visit held is free a moment after it has ended

    def look(self) -> None:
        """See how many visitors are there."""
        count = n_visits()
        have_left = self._most > 0 and count <= self._most // 2
        self._most = count if have_left else max(self._most, count)
        if have_left or self._again:
            self._again = have_left
            self._give_back(count)

    def _give_back(self, count: int) -> None:
        if not count:
            cache.clear()  # else the results of the last hour stay until others take their place
        gc.collect()
        with suppress(OSError, AttributeError, TypeError):  # other systems have no such function
            ctypes.CDLL(None).malloc_trim(0)


def use_one_arena() -> None:
    """Let all threads take memory from one place. Each act runs in a thread of its own, and by
    default glibc has eight places for each core: 150 visitors left 100 MB more behind, in parts
    that no other thread can use. The interpreter runs one thread at a time anyway.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # such as with musl
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
