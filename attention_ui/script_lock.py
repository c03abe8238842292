"""Visitors in turn: one script runs at a time, since all share one interpreter."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

# seconds that a script is waited for; behind one that computes for longer nobody waits for its end
LONGEST = 0.1


class ScriptLock:
    """What one script has at a time.

    Scripts that share the interpreter bit by bit all end late; one after the other, each but the
    last ends earlier.
    """

    def __init__(self) -> None:
        self._taken = Lock()
        self._since = 0.0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Run when no other script does, or beside one that runs for longer than is waited for."""
        mine = self._wait()
        try:
            yield
        finally:
            if mine:
                self._taken.release()

    def _wait(self) -> bool:
        while not self._taken.acquire(timeout=LONGEST):
            if time.monotonic() - self._since > LONGEST:
                return False
        self._since = time.monotonic()
        return True


script_lock = ScriptLock()
