"""The file of all classes: who may read it, what happens where it cannot be used, and several users
of one file in one process and in many.
"""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from attention_core.errors import AttentionError, FileError
from attention_lab.classroom import class_file
from attention_lab.classroom.class_file import ClassFile, class_file_path
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import count_answers, export_votes, read_answers
from tests.lab.classroom.rooms_made import CHOICE, NUMBER, Clock, asked, token

ROOT = Path(__file__).resolve().parents[3]


def test_the_file_holds_no_secret_and_no_token(rooms: Rooms) -> None:
    room, secret = asked(rooms)
    rooms.vote(room, token(1), 1, 5.0)
    rooms.file.empty_log()
    kept = rooms.file.path.read_bytes()
    assert room.encode() in kept
    assert secret.encode() not in kept
    assert token(1).encode() not in kept
    assert stat.S_IMODE(rooms.file.path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_used_is_told(
    rooms: Rooms, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its path stands in the log, not in what a visitor reads."""
    other, later = tmp_path / "other", tmp_path / "later"
    other.write_bytes(b"not a data base" * 100)
    with sqlite3.connect(later) as made:
        made.execute("PRAGMA user_version = 2")
    made.close()
    damaged = rooms.file
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
    rooms.file.close()
    whole = rooms.file.path.read_bytes()
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
    rooms.file.close()
    whole, told = rooms.file.path.read_bytes(), 0
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


def test_a_damaged_question_can_be_left_behind(rooms: Rooms) -> None:
    room, secret = asked(rooms)
    with rooms.file.writing() as database:
        database.execute("UPDATE questions SET posed = '{'")
    for act in (lambda: rooms.state(room), lambda: rooms.vote(room, token(1), 1, 6.0)):
        with pytest.raises(FileError):
            act()
    rooms.ask(room, secret, CHOICE)
    assert rooms.state(room).question == CHOICE
    with rooms.file.writing() as database:
        database.execute("UPDATE questions SET posed = '[]'")
    rooms.delete(room, secret)


def allow_pages(rooms: Rooms, most: int) -> None:
    """Let the file have this many pages, as on a small disk."""
    with rooms.file.writing() as database:
        database.execute(f"PRAGMA max_page_count = {most}")


def test_a_full_disk_loses_the_new_vote_alone(rooms: Rooms) -> None:
    room, _ = asked(rooms)
    rooms.vote(room, token(0), 1, 0.0)
    ((pages,),) = rooms.file.read("PRAGMA page_count")
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


def test_a_locked_file_is_told_and_used(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_file, "MAX_WAIT_SECONDS", 0.05)
    room, _ = asked(rooms)
    with closing(sqlite3.connect(rooms.file.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(FileError, match="locked"):
            rooms.vote(room, token(1), 1, 6.0)
        assert rooms.state(room).n_writes == 0
        other.execute("ROLLBACK")
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1


def test_where_the_file_is() -> None:
    home = Path("/home/ada")
    places = {
        "linux": ".local/share/attention-lab/classes.sqlite3",
        "darwin": "Library/Application Support/attention-lab/classes.sqlite3",
        "win32": "AppData/Local/attention-lab/classes.sqlite3",
    }
    for system, place in places.items():
        assert class_file_path({}, system, home) == home / place
    assert class_file_path({"XDG_DATA_HOME": "/data"}, "linux", home).parts[:2] == ("/", "data")


def voting(
    rooms: Rooms, room: str, first: int, n_votes: int, each: int = 1000
) -> subprocess.Popen[str]:
    """A process that votes as many visitors, one after the other, and tells of each; it opens the
    file anew for every `each` of them.
    """
    given = (rooms.file.path, room, first, n_votes, rooms.clock(), each)
    command = [sys.executable, "-m", "tests.lab.classroom.voting", *map(str, given)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def told_by(process: subprocess.Popen[str], most: int = sys.maxsize) -> list[int]:
    """The next visitors whose votes a process tells of, at most so many; else all until its end."""
    assert process.stdout is not None
    lines = [line for line in islice(process.stdout, most) if line.endswith("\n")]
    if len(lines) < most:
        process.stdout.close()
        process.wait()
    return list(map(int, lines))


def test_all_of_a_process_share_one_connection_by_whatever_path(
    tmp_path: Path, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rooms.file.path
    (tmp_path / "folder").symlink_to(path.parent)
    (tmp_path / "file").symlink_to(path)
    (tmp_path / "hard").hardlink_to(path)
    monkeypatch.chdir(tmp_path)
    names = (path, Path("data") / path.name, Path("folder") / path.name, Path("file"), Path("hard"))
    with rooms.file.writing() as database:
        for name in names:
            other = ClassFile(name)
            with pytest.raises(FileError, match="within a transaction"), other.writing():
                pass
            other.close()
        assert database.in_transaction
    room, _ = asked(rooms)
    with closing(ClassFile(Path("hard"))) as other:
        assert other.read("SELECT room FROM rooms") == [(room,)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data", "file", "folder", "hard"]


def test_the_last_user_closes_the_file(rooms: Rooms, clock: Clock) -> None:
    path = rooms.file.path
    log = path.with_name(f"{path.name}-wal")
    twice = Rooms(path, clock)
    rooms.open()
    for one, is_open in ((rooms, True), (rooms, True), (twice, False)):
        one.file.close()
        assert log.exists() is is_open
    with pytest.raises(FileError):
        rooms.open()
    again, last = Rooms(path, clock), Rooms(path, clock)
    again.open()
    del again
    assert log.exists()
    last.file.close()
    assert not log.exists()


def test_a_file_behind_a_link_is_for_its_owner_alone(tmp_path: Path) -> None:
    link, path = tmp_path / "link", tmp_path / "there" / "classes.sqlite3"
    path.parent.mkdir()
    link.symlink_to(path)
    Rooms(link).open()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_was_replaced_takes_no_vote(rooms: Rooms, clock: Clock) -> None:
    room, _ = asked(rooms)
    rooms.file.path.unlink()
    with pytest.raises(FileError, match="No such file"):
        rooms.vote(room, token(1), 1, 6.0)
    other = Rooms(rooms.file.path, clock)
    with pytest.raises(FileError, match="replaced"):
        rooms.vote(room, token(1), 1, 6.0)
    other.open()


def test_processes_lose_no_vote_when_one_is_killed(rooms: Rooms, clock: Clock) -> None:
    room, _ = asked(rooms)
    killed, other = voting(rooms, room, 0, 400, 1), voting(rooms, room, 400, 100, 1)
    told = [*told_by(killed, 20), *told_by(other, 1)]
    killed.kill()
    mine = range(500, 530)
    for visitor in mine:
        twice = Rooms(rooms.file.path, clock)
        told += told_by(other, 3)  # it opens and closes the file meanwhile
        rooms.vote(room, token(visitor), 1, float(visitor))
        twice.file.close()
    told += [*told_by(killed), *told_by(other)]
    found = {int(answer) for answer in read_answers(rooms, room, 1)}
    assert set(range(400, 500)) | set(mine) | set(told) <= found
    assert rooms.state(room).n_writes == len(found)
    assert len(found) - len(told) - len(mine) in (0, 1)  # taken, but not yet told of
    rooms.file.close()
    with closing(sqlite3.connect(rooms.file.path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
