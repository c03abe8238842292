"""One server for all processes of a run of the tests: the first that asks for it starts it, the
last one stops it. A process that died is no user any more.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock

S_TO_END = 30
_BEGUN: dict[int, subprocess.Popen[bytes]] = {}


def place_of(own: Path) -> Path:
    """The folder that the processes of a run share; on Windows each has its own, where sharing was
    never tried. own: the folder of this process.
    """
    return own.parent if os.name != "nt" and "PYTEST_XDIST_WORKER" in os.environ else own


@contextmanager
def shared(
    place: Path, start: Callable[[], list[str]], stop: Callable[[list[str]], None]
) -> Iterator[list[str]]:
    """What `start` gave the first process that named this file, for example a URL; the last one
    gives it to `stop`.
    """
    found = _used(place, True, start, stop)
    try:
        yield found
    finally:
        _used(place, False, start, stop)


def _used(
    place: Path, begins: bool, start: Callable[[], list[str]], stop: Callable[[list[str]], None]
) -> list[str]:
    with FileLock(f"{place}.lock"):
        known, found = json.loads(place.read_text("utf-8")) if place.exists() else ([], [])
        others = [one for one in known if one != os.getpid() and is_alive(one)]
        if begins and not known:
            found = start()
        users = [*others, os.getpid()] if begins else others
        place.write_text(json.dumps([users, found]), "utf-8")
        if not users:
            stop(found)
    return found


def is_alive(process: int) -> bool:
    """Whether a process runs. A zombie has ended, though its parent has not asked."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    return False


def begin(command: list[str], said: Path, **about: Any) -> subprocess.Popen[bytes]:
    """Start a process that may outlive this one; what it says goes to the end of a file."""
    with said.open("ab") as output:
        started = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C ends the users, and the last of them this one
            **about,
        )
    _BEGUN[started.pid] = started
    return started


def end(process: int) -> None:
    """Ask a process to end, which another one may have begun, and wait for it."""
    if own := _BEGUN.pop(process, None):
        own.terminate()
        own.wait(S_TO_END)
        return
    with suppress(psutil.NoSuchProcess):
        psutil.Process(process).terminate()
    for _ in range(10 * S_TO_END):
        if not is_alive(process):
            return
        time.sleep(0.1)
    raise TimeoutError(f"process {process} has not ended within {S_TO_END} s")
