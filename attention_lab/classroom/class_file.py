"""The SQLite file of all rooms: its place, and reading and writing it in transactions."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any
from weakref import finalize

from attention_core.errors import FileError

FILE_VARIABLE = "ATTENTION_LAB_CLASSES"  # the environment variable that names another file
FILE_NAME = "classes.sqlite3"
VERSION = 1
MAX_WAIT_SECONDS = 5.0  # seconds for another process that writes
SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms (
    room TEXT PRIMARY KEY, secret BLOB NOT NULL, opened REAL NOT NULL, version INTEGER NOT NULL,
    n_writes INTEGER NOT NULL, state TEXT NOT NULL, number INTEGER NOT NULL, moment TEXT NOT NULL,
    n_moments INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS questions (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, number INTEGER NOT NULL,
    posed TEXT NOT NULL, PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, number INTEGER NOT NULL,
    visitor BLOB NOT NULL, answer REAL NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (room, number, visitor)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS vote_is_new AFTER INSERT ON votes BEGIN
    UPDATE rooms SET n_writes = n_writes + 1 WHERE room = NEW.room;
END;
CREATE TRIGGER IF NOT EXISTS vote_is_changed AFTER UPDATE ON votes BEGIN
    UPDATE rooms SET n_writes = n_writes + 1 WHERE room = NEW.room;
END;
"""


class ClassFile:
    """One connection to the file of all rooms; threads take turns.

    A transaction is on the disk when `writing` ends. The write-ahead log is fully synchronised, so
    neither a killed process nor a power cut loses it. Deleted rows are overwritten.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._turn = path, RLock()
        with self._explained():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Created before SQLite does, so that other users of the machine cannot read the votes.
            # A file that exists is never opened beside SQLite: on POSIX, closing it drops all locks
            # that this process holds on it, and then another one deletes the log with its votes.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            self._database = sqlite3.connect(
                path, timeout=MAX_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            finalize(self, self._database.close)
            self._prepare()

    def _prepare(self) -> None:
        run = self._database.execute
        (version,) = run("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            self.close()
            raise FileError(
                f"{self.path} has version {version}, but this app reads {VERSION}; choose another"
                f" file by {FILE_VARIABLE}"
            )
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",
        ):
            run(f"PRAGMA {setting}")
        if version == 0:
            self._database.executescript(f"{SCHEMA} PRAGMA user_version = {VERSION};")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: after an error nothing of it is kept."""
        with self._turn, self._explained():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def read(self, query: str, *given: Any) -> list[Any]:
        """All rows of a query."""
        with self._turn, self._explained():
            return self._database.execute(query, given).fetchall()

    def empty_log(self) -> None:
        """Remove deleted rows from the write-ahead log, too; not while others read."""
        with self._turn, suppress(sqlite3.Error):
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection."""
        with self._turn:
            self._database.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise FileError(
                f"The file of classes {self.path} cannot be used: {error}; free it, or choose"
                f" another by {FILE_VARIABLE}"
            ) from error


def class_file_path(
    environment: Mapping[str, str] = os.environ,
    system: str = sys.platform,
    home: Path | None = None,
) -> Path:
    """The file of all rooms: the one in the environment, else one in the user's data folder.

    >>> class_file_path({}, "linux", Path("/home/ada")).as_posix()
    '/home/ada/.local/share/attention-lab/classes.sqlite3'
    >>> class_file_path({"ATTENTION_LAB_CLASSES": "/srv/classes.db"}).as_posix()
    '/srv/classes.db'
    """
    if environment.get(FILE_VARIABLE):
        return Path(environment[FILE_VARIABLE])
    at_home = home or Path.home()
    if system == "win32":
        data = Path(environment.get("LOCALAPPDATA") or at_home / "AppData" / "Local")
    elif system == "darwin":
        data = at_home / "Library" / "Application Support"
    else:
        data = Path(environment.get("XDG_DATA_HOME") or at_home / ".local" / "share")
    return data / "attention-lab" / FILE_NAME
