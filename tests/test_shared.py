"""The processes of a run of the tests share one server, also when one of them dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import shared
from tests.test_readme import ROOT

USER = """
import sys
from pathlib import Path
from scripts.shared import shared

folder = Path(sys.argv[1])

def note(word):
    with (folder / "log").open("a") as log:
        log.write(word)
    return ["found"]

with shared(folder / "place", lambda: note("<"), lambda found: note(">")) as found:
    print(*found, flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(os.name == "nt", reason="not run: on Windows no process shares a server")
def test_the_first_starts_a_server_and_the_last_alive_stops_it(tmp_path: Path) -> None:
    def user() -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", USER, str(tmp_path)]
        one = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe)
        assert one.stdout
        assert one.stdout.readline() == b"found\n"
        return one

    def log() -> str:
        return (tmp_path / "log").read_text(encoding="ascii")

    first, second, third = user(), user(), user()
    assert log() == "<"
    first.kill()
    first.wait(30)
    second.communicate()
    assert log() == "<"
    third.communicate()
    assert log() == "<>"
    first.communicate()
    user().communicate()
    assert log() == "<><>"


def test_a_process_ends_that_another_one_began(tmp_path: Path) -> None:
    sleeps = [sys.executable, "-c", "import time; time.sleep(60)"]
    own = shared.begin(sleeps, tmp_path / "said")
    assert shared.is_alive(own.pid)
    shared.end(own.pid)
    assert not shared.is_alive(own.pid)
    with subprocess.Popen(sleeps) as other:
        shared.end(other.pid)
        assert not shared.is_alive(other.pid)
    shared.end(other.pid)  # which is no longer there
