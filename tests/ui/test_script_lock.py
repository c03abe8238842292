"""One visitor's script after the other's, and nobody held up for long."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep
from types import SimpleNamespace

import pytest

from attention_ui import frame
from attention_ui.frame import ScriptLock


def test_one_script_runs_at_a_time_however_many_wait(monkeypatch):
    monkeypatch.setattr(frame, "MAX_LOCK_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(
        frame, "time", SimpleNamespace(monotonic=lambda: 0.0)
    )  # no single script takes long
    lock, seen = ScriptLock(), []

    def script(_: int) -> None:
        with lock():
            seen.append("begins")
            sleep(0.003)
            seen.append("ends")

    with ThreadPoolExecutor(30) as visitors:
        list(visitors.map(script, range(30)))
    assert seen == ["begins", "ends"] * 30


def test_nobody_waits_for_the_end_of_a_long_script(monkeypatch):
    monkeypatch.setattr(frame, "MAX_LOCK_WAIT_SECONDS", 0.01)
    lock, begun, ends = ScriptLock(), Event(), Event()

    def long_script() -> None:
        with lock():
            begun.set()
            assert ends.wait(60)

    with ThreadPoolExecutor(1) as visitor:
        running = visitor.submit(long_script)
        assert begun.wait(60)
        for _ in range(2):  # the first one did not have the turn, so it must not give it back
            with lock():
                assert not running.done()
        ends.set()
        running.result()
    with lock():  # free again
        pass


def test_a_script_that_stops_gives_the_turn_back(monkeypatch):
    monkeypatch.setattr(frame, "MAX_LOCK_WAIT_SECONDS", 60)
    lock = ScriptLock()
    with pytest.raises(RuntimeError), lock():
        raise RuntimeError
    with lock():  # else this waits for a minute and goes on beside the other
        assert lock._taken.locked()
    assert not lock._taken.locked()
