"""The database of all classes: lost connections, a full disk, other processes, and what is told of
them: never a password.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from attention_core.errors import FileError
from attention_lab.classroom import class_database
from attention_lab.classroom.class_database import ClassDatabase
from attention_lab.classroom.place import open_store
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import count_answers
from tests.lab.classroom.rooms_made import Clock, asked, token

Ask = Callable[[str], list[Any]]


@pytest.fixture
def place(database: str) -> str:
    """These tests are about the database alone."""
    return database


@pytest.fixture
def other(database: str) -> Ask:
    """What another program asks of the database."""
    import psycopg

    def ask(query: str) -> list[Any]:
        with psycopg.connect(database, application_name="other", autocommit=True) as connection:
            found = connection.execute(query)
            return found.fetchall() if found.description else []

    return ask


def end_connections(other: Ask, place: str) -> int:
    """End the connections of the app; returns how many there were."""
    named = f"application_name = '{place.rpartition('=')[2]}'"
    return len(other(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {named}"))


def refusing(state: str) -> str:
    """SQL that makes every vote end with an error of the database."""
    return f"""
        CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'secret/base/5/161' USING ERRCODE = '{state}'; END $$;
        CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON votes
        FOR EACH ROW EXECUTE FUNCTION refuse();
    """


def test_a_connection_that_was_lost_is_made_anew(rooms: Rooms, other: Ask, place: str) -> None:
    room, _ = asked(rooms)
    for visitor in (0, 1):
        assert rooms.state(room).n_writes == visitor
        assert end_connections(other, place) == 2
        rooms.vote(room, token(visitor), 1, 6.0)
    assert count_answers(rooms, room, 1) == 2


def test_a_database_that_stands_still_holds_nobody(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine answers, but its process is stopped."""
    monkeypatch.setattr(class_database, "LOOK", 0.05)
    monkeypatch.setattr(class_database, "SILENCE", 0.5)
    room, _ = asked(rooms)
    ((reader,),) = rooms.store.read("SELECT pg_backend_pid()")
    with rooms.store.writing() as db:
        ((writer,),) = db.read("SELECT pg_backend_pid()")
    assert reader != writer
    for process in (reader, writer):
        os.kill(process, signal.SIGSTOP)
    try:
        assert rooms.state(room).room == room
        rooms.vote(room, token(1), 1, 6.0)
    finally:
        for process in (reader, writer):
            os.kill(process, signal.SIGCONT)
    assert count_answers(rooms, room, 1) == 1


def test_a_transaction_whose_connection_is_lost_is_not_kept(
    rooms: Rooms, other: Ask, place: str
) -> None:
    room, _ = asked(rooms)

    def lost() -> None:
        with rooms.store.writing() as db:
            db.run("UPDATE rooms SET n_writes = 161")
            end_connections(other, place)

    with pytest.raises(FileError):
        lost()
    assert rooms.state(room).n_writes == 0
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1


def test_an_error_that_is_passed_over_is_told_at_the_end(rooms: Rooms) -> None:
    """PostgreSQL then keeps nothing of a transaction, and says so to nobody."""
    import psycopg

    room, _ = asked(rooms)

    def passed_over() -> None:
        with rooms.store.writing() as db:
            db.run("UPDATE rooms SET n_writes = 161")
            with suppress(psycopg.Error):
                db.run("UPDATE no_table SET x = 1")

    with pytest.raises(FileError):
        passed_over()
    assert rooms.state(room).n_writes == 0


@pytest.mark.parametrize(("state", "reason"), [("53100", "disk is full"), ("53200", "memory")])
def test_a_full_disk_loses_the_new_vote_alone(
    rooms: Rooms, other: Ask, state: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    room, _ = asked(rooms)
    rooms.vote(room, token(0), 1, 6.0)
    other(refusing(state))
    with pytest.raises(FileError, match=reason) as told:
        rooms.vote(room, token(1), 1, 6.0)
    assert ("secret/base" in str(told.value), "secret/base" in caplog.text) == (False, True)
    assert (count_answers(rooms, room, 1), rooms.state(room).n_writes) == (1, 1)
    other("DROP TRIGGER full_disk ON votes")
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 2


def test_a_database_that_is_busy_is_told_and_used(
    rooms: Rooms, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    room, _ = asked(rooms)
    with psycopg.connect(place, application_name="other", autocommit=True) as writer:
        writer.execute(class_database.BEGIN)
        monkeypatch.setattr(class_database, "BEGIN", class_database.BEGIN.replace("'5s'", "'50ms'"))
        with pytest.raises(FileError, match="busy"):
            rooms.vote(room, token(1), 1, 6.0)
        assert rooms.state(room).n_writes == 0
        writer.execute("ROLLBACK")
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1


def test_a_database_that_takes_no_votes_any_more_is_left(rooms: Rooms) -> None:
    """As after a failover, when another host has become the one that is written to."""
    room, _ = asked(rooms)
    with rooms.store.writing() as db:
        db.run("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
    with pytest.raises(FileError, match="cannot be written"):
        rooms.vote(room, token(1), 1, 6.0)
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1


def test_who_asks_while_the_database_is_away_waits_once_and_it_recovers(
    postgres: Path,
    place: str,
    other: Ask,
    tmp_path_factory: pytest.TempPathFactory,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The database is behind a link that is taken away."""
    monkeypatch.setattr(class_database, "PAUSE", 0.01)
    link = tmp_path_factory.mktemp("db") / "s"  # the path of a socket has 107 letters at most
    link.symlink_to(postgres)
    away = place.replace(str(postgres), str(link)).replace("postgres@", "postgres:opensesame@")
    rooms = Rooms(away, clock)
    room, _ = asked(rooms)
    link.unlink()
    assert end_connections(other, place) == 2
    n_waited: list[float] = []
    event = type("Event", (class_database.Event,), {"wait": lambda _, most: n_waited.append(most)})
    monkeypatch.setattr(rooms.store._reader, "_tried", event())
    for _ in range(5):
        with pytest.raises(FileError, match="no connection") as told:
            rooms.state(room)
        assert str(link) not in str(told.value)
    assert len(n_waited) == 1
    link.symlink_to(postgres)
    while rooms.store._reader._calls:
        time.sleep(0.01)
    assert rooms.state(room).room == room
    rooms.vote(room, token(1), 1, 6.0)
    assert count_answers(rooms, room, 1) == 1
    assert str(link) in caplog.text
    assert "opensesame" not in caplog.text
    rooms.store.close()


def test_an_app_that_starts_before_its_database_finds_it_later(
    postgres: Path, place: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    link = tmp_path_factory.mktemp("db") / "s"
    later = place.replace(str(postgres), str(link))
    with pytest.raises(FileError, match="no connection"):
        Rooms(later)
    link.symlink_to(postgres)
    while class_database._lines(later)[0]._calls:
        time.sleep(0.01)
    assert Rooms(later).open().room
    ClassDatabase(later).close()


@pytest.mark.parametrize("url", ["mysql://a:opensesame@b/c", "postgresql://a:opensesame@[b/c"])
def test_what_is_no_url_of_a_database_is_told(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(FileError, match="postgresql://user") as told:
        open_store(url)
    assert "opensesame" not in f"{told.value} {caplog.text}"


def test_without_psycopg_the_package_is_named(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(class_database, "import_module", missing)
    with pytest.raises(FileError, match=r"\[server\]"):
        ClassDatabase(place)


def test_tables_of_others_and_of_a_later_app_are_left_alone(place: str, other: Ask) -> None:
    other("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('Ada')")
    with pytest.raises(FileError, match="another program"):
        ClassDatabase(place)
    assert other("SELECT name FROM people") == [("Ada",)]
    other("DROP TABLE people")
    Rooms(place).open()
    other("UPDATE class_rooms_version SET number = 2")
    with pytest.raises(FileError, match="version 2"):
        ClassDatabase(place)


def test_the_database_holds_no_secret_and_no_token(rooms: Rooms, other: Ask, place: str) -> None:
    room, secret = asked(rooms)
    rooms.vote(room, token(1), 1, 5.0)
    schema = place.rpartition("=")[2]
    names = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}'"
    tables = [name for (name,) in other(names)]
    kept = "".join(str(other(f"SELECT * FROM {table}")) for table in tables)
    assert room in kept
    assert secret not in kept
    assert token(1) not in kept
    assert len(tables) == 11
