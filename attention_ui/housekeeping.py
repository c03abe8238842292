"""What the server does while nobody asks it: rooms that nobody uses and files of visitors who have
left go also where no other visitor comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from attention_core.errors import AttentionError
from attention_lab.classroom.place import class_place, is_there

from .classroom.room_service import room_service
from .streamlit_private import end_visits_that_are_over
from .upload_limits import LeftFiles

SECONDS_BETWEEN_VISITS, SECONDS_BETWEEN_ROOMS = 10.0, 300.0


@asynccontextmanager
async def housekeeping() -> AsyncIterator[None]:
    """Keep house as long as the server runs."""
    tasks = [
        asyncio.create_task(every(SECONDS_BETWEEN_VISITS, end_visits_that_are_over)),
        asyncio.create_task(every(SECONDS_BETWEEN_VISITS, LeftFiles().drop)),
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
