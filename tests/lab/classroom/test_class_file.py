"""The file of all classes: who may read it, what happens where it cannot be used, and several users
of one file in one process.
"""

from __future__ import annotations

import csv
import io
import os
import random
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from attention_core.errors import AttentionError, FileError
from attention_lab.classroom import class_file
from attention_lab.classroom.class_file import ClassFile
from attention_lab.classroom.class_question import question_to_json
from attention_lab.classroom.letters import digest
from attention_lab.classroom.limits import RoomError
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import count_answers, export_votes, read_answers
from tests.lab.classroom.rooms_made import CHOICE, NUMBER, Clock, asked, token

# The tables of the first app that had rooms, which kept votes by triggers.
FIRST_TABLES = """
CREATE TABLE rooms (
    room TEXT PRIMARY KEY, secret BLOB NOT NULL, opened REAL NOT NULL, version INTEGER NOT NULL,
    n_writes INTEGER NOT NULL, state TEXT NOT NULL, number INTEGER NOT NULL, moment TEXT NOT NULL,
    n_moments INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE questions (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, number INTEGER NOT NULL,
    posed TEXT NOT NULL, PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE TABLE votes (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, number INTEGER NOT NULL,
    visitor BLOB NOT NULL, answer REAL NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (room, number, visitor)
) WITHOUT ROWID;
CREATE TRIGGER vote_is_new AFTER INSERT ON votes BEGIN
    UPDATE rooms SET n_writes = n_writes + 1 WHERE room = NEW.room;
END;
PRAGMA user_version = 1;
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """These tests are about the file alone."""
    return tmp_path / "data" / "classes.sqlite3"


def test_the_file_holds_no_secret_and_no_token(rooms: Rooms) -> None:
    room, secret = asked(rooms)
    rooms.vote(room, token(1), 1, 5.0)
    rooms.store.forget()
    kept = rooms.place.read_bytes()
    assert room.encode() in kept
    assert secret.encode() not in kept
    assert token(1).encode() not in kept
    assert stat.S_IMODE(rooms.place.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_used_is_told(
    rooms: Rooms, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its path stands in the log, not in what a visitor reads."""
    other, later = tmp_path / "other", tmp_path / "later"
    other.write_bytes(b"not a data base" * 100)
    with sqlite3.connect(later) as made:
        made.execute("PRAGMA user_version = 2")
    made.close()
    damaged = rooms.store
    damaged.close()
    whole = damaged.path.read_bytes()
    damaged.path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    for path in (other, later, tmp_path, other / "below", damaged.path):
        with pytest.raises(FileError) as told:
            Rooms(path)
        assert str(path.parent) not in str(told.value)
        assert str(path) in caplog.text
    assert other.read_bytes() == b"not a data base" * 100


@contextmanager
def reading_only(content: bytes | None = None) -> Iterator[Path]:
    """A class file, or none, in a folder where nothing can be written: root, who may write
    everywhere, is another user meanwhile.
    """
    with TemporaryDirectory() as name:
        folder, is_root = Path(name), os.geteuid() == 0
        if content is not None:
            (folder / "classes.sqlite3").write_bytes(content)
            (folder / "classes.sqlite3").chmod(0o444)
        folder.chmod(0o555)
        os.seteuid(65_534 if is_root else os.geteuid())
        try:
            yield folder / "classes.sqlite3"
        finally:
            os.seteuid(0 if is_root else os.geteuid())
            folder.chmod(0o700)


def test_a_folder_without_write_permission_is_told(rooms: Rooms) -> None:
    rooms.vote(asked(rooms)[0], token(1), 1, 6.0)
    rooms.store.close()
    whole = rooms.place.read_bytes()
    with reading_only() as path:
        for place in (path, path.parent / "deeper" / path.name):
            with pytest.raises(FileError, match="denied"):
                Rooms(place)
        assert not list(path.parent.iterdir())
    with reading_only(whole) as path:
        with pytest.raises(FileError):
            Rooms(path).open()
        assert path.read_bytes() == whole


def damaged_bytes(whole: bytes, seed: int) -> bytes:
    """A file in which some bytes are others, some are 0, or whose end is missing."""
    chance, bytes_now = random.Random(seed), bytearray(whole)
    for _ in range(chance.choice((1, 30, 300))):
        bytes_now[chance.randrange(len(whole))] = chance.randrange(256)
    if seed % 5 == 0:
        place = chance.randrange(len(whole))
        bytes_now[place : place + 50] = bytes(50)
    return bytes(bytes_now[: chance.randrange(len(whole))] if seed % 9 == 0 else bytes_now)


def test_damage_anywhere_in_a_file_is_told(tmp_path: Path, rooms: Rooms, clock: Clock) -> None:
    room, secret = asked(rooms, CHOICE)
    for visitor in range(20):
        rooms.vote(room, token(visitor), 1, float(visitor % 3))
    rooms.ask(room, secret, NUMBER)
    rooms.set_state(room, secret, "open")
    rooms.vote(room, token(1), 2, 6.0)
    rooms.store.close()
    whole, told = rooms.place.read_bytes(), 0
    for seed in range(80):
        path = tmp_path / f"{seed}.sqlite3"
        path.write_bytes(damaged_bytes(whole, seed))
        try:
            found = Rooms(path, clock)
        except FileError:
            told += 1
            continue
        for act in (
            lambda found=found: found.state(room),
            lambda found=found: read_answers(found, room, 1),
            lambda found=found: export_votes(found, room, secret),
            lambda found=found: found.vote(room, token(2), 2, 6.0),
            lambda found=found: found.ask(room, secret, CHOICE),
            lambda found=found: found.delete(room, secret),
        ):
            try:
                act()
            except AttentionError:
                told += 1
    assert told > 40


def allow_pages(rooms: Rooms, most: int) -> None:
    """Let the file have this many pages, as on a small disk."""
    with rooms.store.writing() as database:
        database.run(f"PRAGMA max_page_count = {most}")


def test_a_full_disk_loses_the_new_vote_alone(rooms: Rooms) -> None:
    room, _ = asked(rooms)
    rooms.vote(room, token(0), 1, 0.0)
    ((pages,),) = rooms.store.read("PRAGMA page_count")
    allow_pages(rooms, pages)
    n_kept = 1
    with suppress(FileError):
        while n_kept < 500:
            rooms.vote(room, token(n_kept), 1, 6.0)
            n_kept += 1
    with pytest.raises(FileError, match="full"):
        rooms.vote(room, token(n_kept), 1, 6.0)
    assert count_answers(rooms, room, 1) == n_kept
    allow_pages(rooms, 10_000)
    rooms.vote(room, token(n_kept), 1, 6.0)
    assert count_answers(rooms, room, 1) == n_kept + 1


def test_a_locked_file_is_told_and_used(
    place: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_file, "MAX_WAIT_SECONDS", 0.05)
    rooms = Rooms(place, clock)
    room, _ = asked(rooms)
    with closing(sqlite3.connect(rooms.place, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(FileError, match="locked"):
            rooms.vote(room, token(1), 1, 6.0)
        assert rooms.state(room).n_writes == 0
        other.execute("ROLLBACK")
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1


def test_all_of_a_process_share_one_connection_by_whatever_path(
    tmp_path: Path, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rooms.place
    (tmp_path / "folder").symlink_to(path.parent)
    (tmp_path / "file").symlink_to(path)
    (tmp_path / "hard").hardlink_to(path)
    monkeypatch.chdir(tmp_path)
    names = (path, Path("data") / path.name, Path("folder") / path.name, Path("file"), Path("hard"))
    with rooms.store.writing():
        for name in names:
            other = ClassFile(name)
            with pytest.raises(FileError, match="within a transaction"), other.writing():
                pass
            other.close()
    room, _ = asked(rooms)
    with closing(ClassFile(Path("hard"))) as other:
        assert other.read("SELECT room FROM rooms") == [(room,)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data", "file", "folder", "hard"]


def test_the_last_user_closes_the_file(rooms: Rooms, clock: Clock) -> None:
    path = rooms.place
    log = path.with_name(f"{path.name}-wal")
    twice = Rooms(path, clock)
    rooms.open()
    for one, is_open in ((rooms, True), (rooms, True), (twice, False)):
        one.store.close()
        assert log.exists() is is_open
    with pytest.raises(FileError):
        rooms.open()
    again, last = Rooms(path, clock), Rooms(path, clock)
    again.open()
    del again
    assert log.exists()
    last.store.close()
    assert not log.exists()


def test_a_file_behind_a_link_is_for_its_owner_alone(tmp_path: Path) -> None:
    link, path = tmp_path / "link", tmp_path / "there" / "classes.sqlite3"
    path.parent.mkdir()
    link.symlink_to(path)
    Rooms(link).open()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_was_replaced_takes_no_vote(rooms: Rooms, clock: Clock) -> None:
    room, _ = asked(rooms)
    rooms.place.unlink()
    with pytest.raises(FileError, match="No such file"):
        rooms.vote(room, token(1), 1, 6.0)
    other = Rooms(rooms.place, clock)
    with pytest.raises(FileError, match="replaced"):
        rooms.vote(room, token(1), 1, 6.0)
    other.open()


def test_a_room_of_the_first_app_stays(place: Path, clock: Clock) -> None:
    """Its students keep the order of their votes, and a new one comes after them."""
    place.parent.mkdir()
    with closing(sqlite3.connect(place)) as made:
        made.executescript(FIRST_TABLES)
        about = ("KXRTB", digest("secret"), clock.now, 1, 0, "open", 1, "", 0)
        made.execute("INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", about)
        question = ("KXRTB", 1, question_to_json(NUMBER))
        made.execute("INSERT INTO questions VALUES (?, ?, ?)", question)
        for visitor, at in ((2, 20.0), (1, 10.0)):
            row = ("KXRTB", 1, digest(token(visitor)), float(visitor), at)
            made.execute("INSERT INTO votes VALUES (?, ?, ?, ?, ?)", row)
        made.commit()
    clock.now += 1e9
    rooms = Rooms(place, clock)
    rooms.delete_old()
    rooms.vote("KXRTB", token(3), 1, 3.0)
    rooms.vote("KXRTB", token(1), 1, 7.0)
    found = list(csv.DictReader(io.StringIO(export_votes(rooms, "KXRTB", "secret"))))
    assert {row["student"]: row["answer"] for row in found} == {"1": "7", "2": "2", "3": "3"}
    clock.now += 24 * 3600
    with pytest.raises(RoomError):
        rooms.state("KXRTB")
