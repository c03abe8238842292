"""A lecture that votes: 300 voters at two processes of the app, with the rooms in one SQLite file
or in a PostgreSQL database.

A voter waits for news as a page does, and answers a question at once when it is there: so all 300
votes come in the same moment. Measured are the time from the question until a voter has it, the
time of a vote until it is on the disk, and whether every vote was kept.
"""

import argparse
import asyncio
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from attention_lab.classroom.place import Place
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.store import PLACE_VARIABLE
from attention_lab.classroom.tally import count_answers
from attention_lab.quiz import Question
from scripts import local_postgres

from ._children import table
from ._servers import served

QUESTION = Question("2 × 3?", "2 × 3 = 6", number=6.0)


class Voter:
    """One browser: a connection on which it waits for the news of a question, and one for the
    vote; the server closes those that are quiet for 5 s.
    """

    def __init__(self, address: str, name: int, room: str, ticket: str) -> None:
        self.address, self.room, self.tag = urlsplit(address), room, ""
        self.token = f"voter-{name:016d}"
        about = {"x-class-visitor": self.token, "x-class-ticket": ticket}
        self.headers = "".join(f"{name}: {text}\r\n" for name, text in about.items())
        self.open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """The status and the object of an answer."""
        where = self.address.hostname, self.address.port
        if body is None and self.open is None:
            self.open = await asyncio.open_connection(*where)
        reader, writer = (body is None and self.open) or await asyncio.open_connection(*where)
        sent = b"" if body is None else json.dumps(body).encode()
        kind = f"content-type: application/json\r\ncontent-length: {len(sent)}\r\n" if sent else ""
        head = f"{method} /class-room/{path} HTTP/1.1\r\nhost: {self.address.netloc}\r\n"
        writer.write(f"{head}{self.headers}{kind}\r\n".encode() + sent)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        told = dict(line.split(": ", 1) for line in lines[1:] if line)
        answer = await reader.readexactly(int(told.get("content-length", 0)))
        if body is not None:
            writer.close()
        return int(lines[0].split()[1]), json.loads(answer) if answer else None

    async def answer(self, number: int) -> tuple[float, float]:
        """Wait for a question and answer it; the time when it was there, and the seconds that the
        vote took.
        """
        while True:
            status, told = await self.ask("GET", f"state?room={self.room}&seen={self.tag}")
            if status == 200:
                self.tag = told["tag"]
                if (told["state"], told["number"]) == ("open", number):
                    break
            elif status != 204:
                await asyncio.sleep(1)
        there = time.perf_counter()
        self.leave()
        vote = {"room": self.room, "token": self.token, "number": number, "answer": "6"}
        while (await self.ask("POST", "vote", vote))[0] != 200:
            await asyncio.sleep(1)
        return there, time.perf_counter() - there

    def leave(self) -> None:
        """Close the connection for news."""
        if self.open:
            self.open[1].close()
        self.open = None


async def lecture(
    addresses: Sequence[str], place: Place, count: int, questions: int
) -> list[list[float]]:
    """The seconds until each voter has the question, and those of each vote."""
    rooms = Rooms(place)
    made = rooms.open()
    about = made.room, rooms.ticket(made.room)
    turn = cycle(addresses)
    voters = [Voter(next(turn), name, *about) for name in range(count)]
    news, votes = [], []
    for number in range(1, questions + 1):
        answers = [asyncio.create_task(voter.answer(number)) for voter in voters]
        await asyncio.sleep(3)
        asked = time.perf_counter()
        rooms.ask(made.room, made.secret, QUESTION)
        rooms.set_state(made.room, made.secret, "open")
        for there, spent in await asyncio.gather(*answers):
            news.append(there - asked)
            votes.append(spent)
        kept = count_answers(rooms, made.room, number)
        if kept != count:
            raise RuntimeError(f"{kept} votes of {count} were kept")
    rooms.store.close()
    return [news, votes]


@contextmanager
def places(url: str | None) -> Iterator[dict[str, Place]]:
    """Both stores: a file and a database, which is started here unless it is named."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "classes.sqlite3"
        if url:
            yield {"SQLite": file, "PostgreSQL": url}
            return
        server = local_postgres.start(is_safe=True)
        try:
            yield {"SQLite": file, "PostgreSQL": local_postgres.url_of(server)}
        finally:
            local_postgres.stop(server)


def main(arguments: list[str] | None = None) -> None:
    """Print one line per store."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks voters", description=__doc__)
    parser.add_argument("--voters", type=int, default=300)
    parser.add_argument("--questions", type=int, default=5)
    parser.add_argument("--database", help="URL of a running PostgreSQL database, without tables")
    chosen = parser.parse_args(arguments or [])
    parts = ("p50", "p95", "max")
    names = [f"{what} {part}, ms" for what in ("question there", "vote kept") for part in parts]
    rows = [["store", "voters", "votes", *names]]
    with places(chosen.database) as stores:
        for name, place in stores.items():
            os.environ[PLACE_VARIABLE] = str(place)
            with served() as one, served() as other:
                both = (one.address, other.address)
                met = asyncio.run(lecture(both, place, chosen.voters, chosen.questions))
            shown = [
                f"{1000 * sorted(times)[int(part * (len(times) - 1))]:.0f}"
                for times in met
                for part in (0.5, 0.95, 1)
            ]
            rows.append([name, str(chosen.voters), str(len(met[1])), *shown])
    print(table(rows))
