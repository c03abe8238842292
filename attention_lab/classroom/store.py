"""What keeps the rooms: a small interface, and the tables behind it.

Two stores have it: one SQLite file, for the processes of one machine, and a PostgreSQL database,
for the processes of several. Both run the same sentences of SQL, with `?` for each given value.
"""

from contextlib import AbstractContextManager
from typing import Any, Protocol

PLACE_VARIABLE = "ATTENTION_LAB_CLASSES"  # the environment variable that names another place
VERSION = 1
MAX_WAIT_SECONDS = 5.0  # seconds for another process that writes

# As SQLite writes them. people: how many each process of the app has in a room. running: seconds
# that go on only while the app runs. uses: the network that opened a room, and when the room was
# used last. attended: when a student was in it last. voters: who has answered a question, from
# which network. students: the number of each voter of a room, in the order of their first votes.
# signing: the key of the tickets of those who are in a room.
TABLES = """
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
CREATE TABLE IF NOT EXISTS people (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, process TEXT NOT NULL,
    count INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (room, process)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS running (one INTEGER PRIMARY KEY, seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS uses (
    room TEXT PRIMARY KEY REFERENCES rooms ON DELETE CASCADE, source BLOB NOT NULL, at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS attended (
    room TEXT PRIMARY KEY REFERENCES rooms ON DELETE CASCADE, at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS voters (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, number INTEGER NOT NULL,
    source BLOB NOT NULL, visitor BLOB NOT NULL, PRIMARY KEY (room, number, source, visitor)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS students (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, visitor BLOB NOT NULL,
    place INTEGER NOT NULL, PRIMARY KEY (room, visitor)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS signing (one INTEGER PRIMARY KEY, secret BLOB NOT NULL);
"""


class Reader(Protocol):
    """What a sentence of SQL can be asked of."""

    def read(self, query: str, *given: Any) -> list[Any]:
        """All rows of a query, without those of another transaction that has not ended."""


class Transaction(Reader, Protocol):
    """What is written together or not at all; no other process writes meanwhile."""

    def run(self, query: str, *given: Any) -> int:
        """Change rows; returns how many."""


class Store(Reader, Protocol):
    """What keeps all rooms. Raises FileError, with a sentence, where it cannot be used."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """One transaction, kept for good when it ends; after an error nothing of it is kept."""

    def forget(self) -> None:
        """Remove what was deleted from where the store itself still has it."""

    def close(self) -> None:
        """Stop using the store."""
