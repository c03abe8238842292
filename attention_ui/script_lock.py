"""One script at a time, because the scripts of all visitors share one interpreter."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

# After so long a wait a script runs beside the one that holds the lock.
MAX_LOCK_WAIT_SECONDS = 0.1  # seconds


class ScriptLock:
    """A lock that one script holds at a time.

    Scripts that run side by side all end late; one after the other, all but the last end earlier.
    """

    def __init__(self) -> None:
        self._taken = Lock()
        self._since = 0.0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Run alone, or beside a script that has run for longer than `MAX_LOCK_WAIT_SECONDS`."""
        mine = self._wait()
        try:
            yield
        finally:
            if mine:
                self._taken.release()

    def _wait(self) -> bool:
        while not self._taken.acquire(timeout=MAX_LOCK_WAIT_SECONDS):
            if time.monotonic() - self._since > MAX_LOCK_WAIT_SECONDS:
                return False
        self._since = time.monotonic()
        return True


script_lock = ScriptLock()
