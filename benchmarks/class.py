"""A class on one server: students who vote within ten seconds, and follow the teacher for minutes.

A student has an open page of the app (Streamlit's protocol, as in `visitors`) and asks for news of
the room as the page does; when the teacher moves, his page opens the teacher's. Everybody votes
within ten seconds of a question, and changes the answer once. In the middle the process is killed,
and started again on the same port.

Times are of requests, from the first byte sent to the answer: of votes, of news (from the teacher's
act until a student has heard of it), and of pages (until the script of the student's new page has
ended, with all students at once).
"""
# The name by which it is run is a word of Python, too.
# ruff: noqa: N999

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import websockets

from attention_lab.classroom.class_file import FILE_VARIABLE
from attention_lab.classroom.class_question import ClassQuestion
from attention_lab.classroom.rooms import NewRoom, Rooms
from attention_lab.classroom.tally import read_answers

from ._servers import ROOT, free_port
from ._students import WITHIN, Met, Student, asked, opened, page_of

MOMENTS = ("/softmax?head=1", "/scores?head=0", "/mask?mask=causal", "/mixing?head=1")
ASKED = ClassQuestion("number", "2 × 3?", 6.0, "2 × 3 = 6")


def start(port: int, file: Path) -> subprocess.Popen[bytes]:
    """The server, with its rooms in a file."""
    options = ["--server.port", str(port), "--server.headless", "true"]
    return subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", *options],
        cwd=ROOT,
        env=os.environ | {FILE_VARIABLE: str(file)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


async def ready(port: int, room: str) -> None:
    """Wait until the server answers the class, with the page of one visitor as in life."""
    for _ in range(300):
        try:
            async with page_of(port) as page:
                await opened(page, "class", f"room={room}")
            if (await asked(port, f"/class-room/state?room={room}"))[0] == 200:
                return
        except (OSError, ValueError, websockets.WebSocketException):
            pass
        await asyncio.sleep(0.2)
    raise RuntimeError("The server does not start")


async def lead(rooms: Rooms, made: NewRoom, students: list[Student], seconds: float) -> None:
    """Move the class from page to page for so long, about every 20 seconds."""
    end, places = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        places += 1
        moment = f"{MOMENTS[places % len(MOMENTS)]}&seed={places}"
        for student in students:
            student.moved[moment] = time.perf_counter()
        rooms.move(made.room, made.secret, moment)
        await asyncio.sleep(min(20.0, max(0.1, end - time.perf_counter())))


async def lesson(count: int, seconds: float, folder: Path) -> tuple[Met, dict[str, object]]:
    """One lesson: a question, following with a second question and a killed server, the result."""
    file, port, met = folder / "classes.sqlite3", free_port(), Met()
    rooms = Rooms(file)  # the teacher's browser may be at another process
    made = rooms.open()
    server = start(port, file)
    try:
        await ready(port, made.room)
        students = [Student(number, port, made.room, met) for number in range(count)]
        following = [asyncio.create_task(student.follow()) for student in students]
        await asyncio.sleep(10)
        found: dict[str, object] = {}
        for part in ("calm", "killed"):
            number = rooms.ask(made.room, made.secret, ASKED)
            rooms.set_state(made.room, made.secret, "open")
            leading = asyncio.create_task(lead(rooms, made, students, seconds / 2))
            voting = [asyncio.create_task(student.vote(number)) for student in students]
            if part == "killed":
                await asyncio.sleep(WITHIN / 2)
                told = dict(met.kept)
                server.send_signal(signal.SIGKILL)
                server.wait()
                server = start(port, file)
                await ready(port, made.room)
                found["told before"] = len(told)
                found["question there"] = rooms.state(made.room).question == ASKED
            await asyncio.gather(*voting)
            await leading
            rooms.set_state(made.room, made.secret, "closed")
            kept = sorted(read_answers(rooms, made.room, number))
            found[f"lost, {part}"] = len(met.kept) - len(kept)
            found[f"as told, {part}"] = kept == sorted(met.kept.values())
            found[f"votes, {part}"] = list(met.votes)
            met.votes.clear()
            met.kept.clear()
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)
        return met, found
    finally:
        server.kill()
        server.wait()


def line(name: str, times: list[float]) -> str:
    """A row of the table."""
    found = sorted(1000 * time for time in times) or [0.0]
    p95 = found[int(0.95 * (len(found) - 1))]
    return (
        f"| {name} | {len(times)} | {statistics.median(found):.0f} | {p95:.0f} | {found[-1]:.0f} |"
    )


def main(arguments: list[str] | None = None) -> None:
    """Print how long votes, news and pages took, and whether a vote was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks class", description=__doc__)
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=300, help="of following, in all")
    chosen = parser.parse_args(arguments or [])
    with tempfile.TemporaryDirectory() as folder:
        met, found = asyncio.run(lesson(chosen.students, chosen.seconds, Path(folder)))
    print("| what | number | p50, ms | p95, ms | longest, ms |\n|---|---|---|---|---|")
    for part in ("calm", "killed"):
        print(line(f"votes, {part}", found.pop(f"votes, {part}")))  # type: ignore[arg-type]
    print(line("news of a move", met.news))
    print(line("page of a move, all at once", met.pages))
    machine = f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
    print(f"\n{found}; sent again: {met.failed}; {machine}")


if __name__ == "__main__":
    main(sys.argv[1:])
