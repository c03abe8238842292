"""All rooms in one SQLite file: reading and writing it in transactions."""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Any
from weakref import finalize

from attention_core.errors import FileError

from .store import MAX_WAIT_SECONDS, PLACE_VARIABLE, TABLES, VERSION


class _FileTransaction:
    """A transaction of a connection that writes."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def read(self, query: str, *given: Any) -> list[Any]:
        return self._database.execute(query, given).fetchall()

    def run(self, query: str, *given: Any) -> int:
        return self._database.execute(query, given).rowcount


class _OpenFile:
    """The connections of this process to one file, for all who have it open: one writes, so that
    one other may read without waiting until a vote is on the disk.
    """

    def __init__(self, path: Path) -> None:
        self.n_users, self.write_turn, self.read_turn = 0, RLock(), RLock()
        with ExitStack() as opened:
            self.writer, self.reader = (_connected(path, opened) for _ in range(2))
            _prepare(self.writer, path)
            self.reader.execute("PRAGMA query_only = ON")
            self._close = opened.pop_all().close

    def close(self) -> None:
        """Close both connections; SQLite then empties the log, unless another process needs it."""
        with self.write_turn, self.read_turn:
            self._close()


_OPEN_FILES: dict[tuple[int, int | Path], _OpenFile] = {}
_OPENING = RLock()


class ClassFile:
    """The file of all rooms; threads take turns, and all of a process share its connections.

    A transaction is on the disk when `writing` ends. The write-ahead log is fully synchronised, so
    neither a killed process nor a power cut loses it. Deleted rows are overwritten.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explained(), _OPENING:
            _create(path.resolve())
            self._place = _place_of(path)
            if self._place not in _OPEN_FILES:
                _OPEN_FILES[self._place] = _OpenFile(path.resolve())
            self._opened = _OPEN_FILES[self._place]
            self._opened.n_users += 1
            self._leave = finalize(self, _leave, self._place, self._opened)

    def close(self) -> None:
        """Stop using the file; the last user in this process closes its connections."""
        self._leave()

    @contextmanager
    def writing(self) -> Iterator[_FileTransaction]:
        """One transaction: after an error nothing of it is kept.

        Raises: FileError, also where the file is no longer in its place: what is written to a
        deleted file is gone when it is closed.
        """
        database = self._opened.writer
        with self._opened.write_turn, self._explained():
            if _place_of(self.path) != self._place:
                raise _unusable(
                    self.path,
                    "it was replaced while it was in use, and its rooms are gone; start the app"
                    " again",
                )
            database.execute("BEGIN IMMEDIATE")
            try:
                yield _FileTransaction(database)
            except BaseException:
                if database.in_transaction:  # SQLite may have ended it, as where the disk is full
                    database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def read(self, query: str, *given: Any) -> list[Any]:
        """All rows of a query, without those of a transaction that has not ended."""
        with self._opened.read_turn, self._explained():
            return self._opened.reader.execute(query, given).fetchall()

    def forget(self) -> None:
        """Remove deleted rows from the write-ahead log, too; not while others read."""
        with self._opened.write_turn, suppress(sqlite3.Error):
            self._opened.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            raise _unusable(
                self.path, f"{said}; free it, or choose another by {PLACE_VARIABLE}"
            ) from error


@lru_cache(maxsize=100)  # each reason stands in the log once
def _log(path: Path, reason: str) -> None:
    logging.getLogger(__name__).error("The file of classes %s cannot be used: %s", path, reason)


def _unusable(path: Path, reason: str) -> FileError:
    """The error for visitors, who are not told the path; it stands in the server's log."""
    _log(path, reason)
    return FileError(f"The file of classes, which the server's log names, cannot be used: {reason}")


def _create(path: Path) -> None:
    """Make the file, unless it exists, before SQLite does: so that other users of the machine
    cannot read the votes.

    A file that exists is never opened beside SQLite: on POSIX, closing it drops all locks that this
    process holds on it, and then another one deletes the log with its votes.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _place_of(path: Path) -> tuple[int, int | Path]:
    """What tells a file from all others, whatever path leads to it, without opening it."""
    stat = path.stat()
    return stat.st_dev, stat.st_ino or path.resolve()  # some systems number no files


def _connected(path: Path, opened: ExitStack) -> sqlite3.Connection:
    database = sqlite3.connect(
        path, timeout=MAX_WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )
    opened.callback(database.close)
    return database


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    """Settings of the connection, and the tables of a new file."""
    run = database.execute
    (version,) = run("PRAGMA user_version").fetchone()
    if version not in (0, VERSION):
        raise _unusable(
            path,
            f"it has version {version}, but this app reads {VERSION}; choose another by"
            f" {PLACE_VARIABLE}",
        )
    run("PRAGMA journal_mode = WAL")
    run("PRAGMA synchronous = FULL")
    run("PRAGMA foreign_keys = ON")
    run("PRAGMA secure_delete = ON")
    database.executescript(TABLES)  # also those that a file of an older app lacks
    if version == 0:
        run(f"PRAGMA user_version = {VERSION}")


def _leave(place: tuple[int, int | Path], opened: _OpenFile) -> None:
    """One user less; the last one closes the file."""
    with _OPENING:
        opened.n_users -= 1
        if not opened.n_users:
            del _OPEN_FILES[place]
            opened.close()
