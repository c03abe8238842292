"""All rooms in a PostgreSQL database: for the processes of several machines.

psycopg, of the extra [server], is loaded when a database is named.
"""

import logging
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from socket import SHUT_RDWR, socket
from threading import Event, RLock, Thread
from typing import Any

from attention_core.errors import FileError

from .store import MAX_WAIT_SECONDS, PLACE_VARIABLE, TABLES, VERSION

# In seconds.
PATIENCE = 1.0  # of a visitor, until a new connection is there; later visitors are refused at once
PAUSE = 1.0  # between two attempts to connect
SILENCE = 8.0  # after which a database that does not go on is taken for lost
LOOK = 1.0  # between two looks whether it goes on
# What a URL may set otherwise. Statements are not prepared, and nothing is set for a whole
# connection, so that a pooler may stand between (PgBouncer by transactions).
CONNECTION = {
    "application_name": "attention-lab",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 5000,  # ms
    "target_session_attrs": "read-write",  # of several hosts, the one that takes votes
}
# One process writes at a time, as in a file: so bounds are counted for all of them. A process that
# stops in the middle is thrown out.
BEGIN = f"""
BEGIN; SET LOCAL lock_timeout = '{MAX_WAIT_SECONDS:.0f}s'; SET LOCAL statement_timeout = '7s';
SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL synchronous_commit = on;
SELECT pg_advisory_xact_lock(161, hashtext(coalesce(current_schema(), '')))
"""
# What an error means to who reads it, by the first letters of its SQLSTATE.
NO_CONNECTION = "there is no connection to it, as the server's log says; try again in a moment"
REASONS = {
    "": NO_CONNECTION,
    "08": NO_CONNECTION,
    "57": NO_CONNECTION,
    "25006": "it cannot be written to; try again in a moment",
    "42501": "its user may not make tables in it; grant that, or name another user",
    "42P01": "its tables are gone; start the app again",
    "42P07": "it holds tables of another program; make one for the app alone",
    "53": "it has no more memory or connections; try again in a moment",
    "53100": "its disk is full; free it",
    "55": "another process keeps it busy; try again in a moment",
}
LOST = ("25006", "57P")  # errors after which a connection is of no use, though it may be open


class _Line:
    """One connection, of which threads take turns; once lost it is made anew beside them, so that
    nobody waits for a database that is away.
    """

    def __init__(self, connect: Callable[[], Any], errors: type[Exception]) -> None:
        self.turn, self._connect, self._errors = RLock(), connect, (errors, OSError)
        self._open: Any = None
        self._coming: list[Any] = []
        self._tried, self._calls, self._is_wanted, self._error = Event(), False, True, ""
        self._since = math.inf

    @contextmanager
    def used(self) -> Iterator[None]:
        """A turn, which ends when the database has been silent for too long."""
        with self.turn:
            self._since = time.monotonic()
            try:
                yield
            finally:
                self._since = math.inf

    def connection(self) -> Any:
        """The connection. Raises: ConnectionError if there is none yet."""
        if self._open is None or self._open.closed:
            if not self._calls and not self._coming:
                self._calls = self._is_wanted = True
                self._tried.clear()
                _start(self._call)
                self._tried.wait(PATIENCE)
            if not self._coming:
                raise ConnectionError(self._error or f"no answer within {PATIENCE:g} s")
            self._open, self._since = self._coming.pop(), time.monotonic()
            _start(self._watch, self._open)
        return self._open

    def _call(self) -> None:
        """Connect, until it succeeds."""
        try:
            while self._is_wanted and not self._coming:
                try:
                    self._coming.append(self._connect())
                    _log.cache_clear()
                except self._errors as error:
                    self._error = str(error)
                    self._tried.set()
                    time.sleep(PAUSE)
        finally:
            self._calls = False
            self._tried.set()

    def _watch(self, connection: Any) -> None:
        """Cut a connection on which nothing comes, as from a machine that stands still."""
        while not connection.closed:
            time.sleep(LOOK)
            if time.monotonic() - self._since > SILENCE:
                with suppress(*self._errors), socket(fileno=os.dup(connection.fileno())) as line:
                    line.shutdown(SHUT_RDWR)

    def close(self) -> None:
        """Close the connection; who asks again gets a new one."""
        self._is_wanted = False
        with self.turn:
            for one in (self._open, *self._coming):
                if one is not None:
                    one.close()


def _start(act: Callable[..., None], *given: Any) -> None:
    Thread(target=act, args=given, daemon=True, name="database of classes").start()


class _DatabaseTransaction:
    """A transaction of a connection that writes."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def read(self, query: str, *given: Any) -> list[Any]:
        return list(self._connection.execute(_written(query), given).fetchall())

    def run(self, query: str, *given: Any) -> int:
        return int(self._connection.execute(_written(query), given).rowcount)


class ClassDatabase:
    """A database with all rooms; those of a process with the same URL share two connections.

    A transaction is on the disk of the database when `writing` ends. Deleted rows stay there until
    the database needs their room.
    """

    def __init__(self, url: str) -> None:
        self._psycopg, self._url = _driver(), url
        with self._explained():
            self._writer, self._reader = _lines(url)
        with self.writing() as transaction:
            self._prepare(transaction)

    def close(self) -> None:
        """Close both connections of this process."""
        self._writer.close()
        self._reader.close()

    @contextmanager
    def writing(self) -> Iterator[_DatabaseTransaction]:
        """One transaction: after an error nothing of it is kept.

        Raises: FileError, also where the connection is lost while the transaction ends; then
        nobody knows whether it was kept.
        """
        with self._explained(), self._writer.used():
            connection = self._retried(self._writer, BEGIN)[0]
            try:
                yield _DatabaseTransaction(connection)
                ended = connection.execute("COMMIT").statusmessage
                if ended != "COMMIT":  # PostgreSQL rolls back what had an error, without a word
                    raise self._psycopg.DatabaseError(f"a transaction ended with {ended}")
            except BaseException as error:
                with suppress(self._psycopg.Error):
                    connection.execute("ROLLBACK")
                if _state_of(error).startswith(LOST):
                    connection.close()
                raise

    def read(self, query: str, *given: Any) -> list[Any]:
        """All rows of a query, without those of a transaction that has not ended."""
        with self._explained(), self._reader.used():
            return list(self._retried(self._reader, _written(query), given)[1].fetchall())

    def forget(self) -> None:
        """The database itself clears away what was deleted."""

    def _retried(self, line: _Line, query: str, given: tuple[Any, ...] = ()) -> tuple[Any, Any]:
        """A connection, and what it answers; once more on a new one if it was lost before."""
        connection = line.connection()
        try:
            return connection, connection.execute(query, given or None)
        except self._psycopg.OperationalError:
            if not connection.closed:
                with suppress(self._psycopg.Error):
                    connection.execute("ROLLBACK")
                raise
        connection = line.connection()
        return connection, connection.execute(query, given or None)

    def _prepare(self, transaction: _DatabaseTransaction) -> None:
        """Make the tables of a new database."""
        if transaction.read("SELECT to_regclass('class_rooms_version')") == [(None,)]:
            for table in _translated(TABLES).split(";"):
                if table.strip():
                    transaction.run(table)
            transaction.run("CREATE TABLE class_rooms_version (number INTEGER PRIMARY KEY)")
            transaction.run("INSERT INTO class_rooms_version VALUES (?)", VERSION)
        ((version,),) = transaction.read("SELECT max(number) FROM class_rooms_version")
        if version != VERSION:
            raise _unusable(
                f"it has version {version}, but this app reads {VERSION}; choose another by"
                f" {PLACE_VARIABLE}"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (self._psycopg.Error, ConnectionError) as error:
            state = _state_of(error)
            reasons = (REASONS[key] for key in (state, state[:2]) if key in REASONS)
            _log(" ".join(str(error).split()) or type(error).__name__)
            raise _unusable(next(reasons, f"it answers with the error {state}")) from error


def _state_of(error: BaseException) -> str:
    """The SQLSTATE of an error; "" where no database has answered."""
    return getattr(error, "sqlstate", None) or ""


def _driver() -> Any:
    try:
        return import_module("psycopg")
    except ImportError as error:
        raise FileError(
            f"{PLACE_VARIABLE} names a PostgreSQL database, which needs the package psycopg;"
            " install it by: pip install 'multihead-attention-lab[server]'"
        ) from error


@lru_cache(maxsize=8)
def _lines(url: str) -> tuple[_Line, _Line]:
    """The two connections of this process: one writes, so that one other may read meanwhile."""
    psycopg = _driver()
    try:
        given = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:  # its text may hold the password
        raise FileError(
            f"{PLACE_VARIABLE} cannot be read as the URL of a database; write one such as"
            " postgresql://user:password@host/name"
        ) from None
    settings = CONNECTION | given

    def connect() -> Any:
        return psycopg.connect(autocommit=True, prepare_threshold=None, **settings)

    return _Line(connect, psycopg.Error), _Line(connect, psycopg.Error)


def _written(query: str) -> str:
    """A sentence with psycopg's signs for given values."""
    return query.replace("?", "%s")


def _translated(tables: str) -> str:
    """The tables as PostgreSQL writes them; none may be there already, from another program."""
    words = {" BLOB ": " BYTEA ", " REAL ": " DOUBLE PRECISION ", " WITHOUT ROWID": ""}
    for ours, theirs in (words | {"CREATE TABLE IF NOT EXISTS": "CREATE TABLE"}).items():
        tables = tables.replace(ours, theirs)
    return tables


@lru_cache(maxsize=100)  # each reason stands in the log once
def _log(reason: str) -> None:
    logging.getLogger(__name__).error("The database of classes cannot be used: %s", reason)


def _unusable(reason: str) -> FileError:
    """The error for visitors, who are not told the host; it stands in the server's log."""
    return FileError(f"The database of classes cannot be used: {reason}")
