"""The students of a class, as their phones speak with the server; nothing is drawn."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

WITHIN = 10.0  # seconds in which all vote


@dataclass
class Met:
    """What the students met with, in seconds, and what was told to be kept, by visitor."""

    votes: list[float] = field(default_factory=list)
    news: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    kept: dict[int, float] = field(default_factory=dict)
    failed: int = 0


class Student:
    """One phone: the page, the news of the room, the answer."""

    def __init__(self, number: int, port: int, room: str, met: Met) -> None:
        self.number, self.port, self.room, self.met = number, port, room, met
        self.moved: dict[str, float] = {}  # when the teacher moved to a moment
        self.chance = random.Random(number)

    async def follow(self) -> None:
        """Hear of every move, and open the teacher's page, till cancelled; a dead server is asked
        again.
        """
        seen, at = "", ""
        while True:
            try:
                async with page_of(self.port) as page:
                    await opened(page, "class", f"room={self.room}")
                    while True:
                        path = f"/class-room/state?room={self.room}&seen={seen}"
                        status, said = await asked(self.port, path)
                        if status not in (200, 204):
                            raise ConnectionError(status)
                        if status == 204:
                            continue
                        seen, moment = said["tag"], said["moment"]
                        if moment != at and moment in self.moved:
                            at, start = moment, self.moved[moment]
                            self.met.news.append(time.perf_counter() - start)
                            name, _, query = moment[1:].partition("?")
                            await opened(page, name, query)
                            self.met.pages.append(time.perf_counter() - start)
            except (OSError, ValueError, EOFError, websockets.WebSocketException):
                await asyncio.sleep(self.chance.uniform(0.7, 1.5))

    async def vote(self, number: int) -> None:
        """Answer within ten seconds, change it within ten more; sent till the server has it."""
        for answer in (self.chance.randint(0, 9), self.chance.randint(0, 9)):
            await asyncio.sleep(self.chance.uniform(0, WITHIN))
            body = {
                "room": self.room,
                "token": f"student-{self.number:016d}",
                "number": number,
                "answer": str(answer),
            }
            while True:
                start = time.perf_counter()
                try:
                    status, _ = await asked(self.port, "/class-room/vote", body)
                except (OSError, ValueError, EOFError):
                    status = 0
                if status == 200:
                    break
                self.met.failed += 1
                await asyncio.sleep(self.chance.uniform(0.5, 1.2))
            self.met.votes.append(time.perf_counter() - start)
            self.met.kept[self.number] = float(answer)


async def asked(port: int, path: str, body: object = None) -> tuple[int, dict[str, str]]:
    """One request on a connection of its own, as a phone that wakes up makes it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: localhost\r\n"
        "Connection: close\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(sent)}\r\n\r\n"
    )
    try:
        writer.write(head.encode() + sent)
        answer = await reader.read()
    finally:
        writer.close()
    top, _, said = answer.partition(b"\r\n\r\n")
    if not top:
        raise ConnectionError("The server has died before it could answer")
    status = int(top.split()[1])
    return status, json.loads(said) if status == 200 else {}


@asynccontextmanager
async def page_of(port: int) -> AsyncIterator[websockets.ClientConnection]:
    """An open page of the app."""
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    protocol = websockets.Subprotocol("streamlit")
    async with websockets.connect(
        address, subprotocols=[protocol], max_size=None, open_timeout=60
    ) as page:
        yield page


async def opened(page: websockets.ClientConnection, name: str, query: str) -> None:
    """Let the script of a page run to its end."""
    message = BackMsg()
    message.rerun_script.page_name = name
    message.rerun_script.query_string = query
    await page.send(message.SerializeToString())
    while ForwardMsg.FromString(await page.recv(decode=False)).WhichOneof("type") != (
        "script_finished"
    ):
        pass
