"""Load on the server: many visitors on the scores page, each moving a slider every few seconds.

A visitor speaks Streamlit's protocol as a browser does but draws nothing. The time of an act is
from the message that a slider moved until the script of that visitor has finished. One server
process, or those that are named.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import os
import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ._children import MIB, status
from ._servers import served

PAGE, SLIDER = "scores", "n_tokens"
PLACES = ("10", "11", "12", "13", "14")  # so many that no answer is still kept from an earlier act
PAUSE = 5.0


class Visitor:
    """One browser's side of the conversation: it keeps what the widgets hold and moves one
    slider.
    """

    def __init__(self, address: str, name: str) -> None:
        """name: of the visitor in the cookie of a proxy (deploy/nginx.conf)."""
        self.address = address.replace("http", "ws")
        self.headers = {"Cookie": f"lab_visitor={name}"}
        self.places = itertools.cycle(PLACES)
        self.slider = ""

    async def arrive(self) -> None:
        """Open the page and learn the name of its slider."""
        self.socket = await websockets.connect(
            f"{self.address}/_stcore/stream",
            subprotocols=[websockets.Subprotocol("streamlit")],
            max_size=None,
            open_timeout=120,
            additional_headers=self.headers,
        )
        await self._run(BackMsg(), PLACES[-1])

    async def act(self) -> tuple[float, int]:
        """Move the slider; the seconds until the page has been made, and its messages."""
        place = next(self.places)
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self.slider
        state.string_array_value.data.append(place)
        start = time.perf_counter()
        said, n_messages = await self._run(message, place)
        taken = time.perf_counter() - start
        if f"× {place} × {place}" not in said:  # the shape of the scores
            raise RuntimeError(f"The page does not show {place} tokens")
        return taken, n_messages

    async def leave(self) -> None:
        """Close the tab."""
        await self.socket.close()

    async def _run(self, message: BackMsg, place: str) -> tuple[str, int]:
        """Let the script run at an address; the shapes of what the page shows, and the number of
        messages.
        """
        message.rerun_script.page_name = PAGE
        message.rerun_script.query_string = f"{SLIDER}={place}"
        await self.socket.send(message.SerializeToString())
        texts: list[str] = []
        for count in itertools.count(1):
            answer = ForwardMsg.FromString(await self.socket.recv(decode=False))
            element = answer.delta.new_element
            match element.WhichOneof("type") if answer.WhichOneof("type") == "delta" else "":
                case "slider" if element.slider.id.endswith(f"-{SLIDER}"):
                    self.slider = element.slider.id
                case "bidi_component" if element.bidi_component.component_name.endswith("board"):
                    texts += _shapes(element.bidi_component.bytes)
            if answer.WhichOneof("type") == "script_finished":
                return " ".join(texts), count
        raise AssertionError("a count has no end")


def _shapes(board: bytes) -> list[str]:
    """The shape of every array of a board, whose text has its length before it."""
    scene = json.loads(board[4 : 4 + int.from_bytes(board[:4], "little")])
    return [" × ".join(map(str, array["shape"])) for array in scene["arrays"].values()]


class Crowd(NamedTuple):
    """What a crowd met with: the seconds and the messages of each act, the processor time of an act
    in the server in ms, and its memory in bytes while all are there; NaN of servers that run
    already.
    """

    times: list[float]
    messages: list[int]
    cpu: float = math.nan
    memory: float = math.nan


async def crowd(
    servers: Sequence[str], count: int, seconds: float, process: int | None = None
) -> Crowd:
    """All acts of visitors who come ten at a time, then act about every five seconds. process: of
    the server, if there is only this.
    """
    visitors = [Visitor(servers[place % len(servers)], str(place)) for place in range(count)]
    for first in range(0, count, 10):
        await asyncio.gather(*(visitor.arrive() for visitor in visitors[first : first + 10]))
    begin = cpu_time(process) if process else math.nan
    acts: list[tuple[float, int]] = []
    end = time.perf_counter() + seconds

    async def stay(visitor: Visitor, chance: random.Random) -> None:
        await asyncio.sleep(chance.uniform(0, PAUSE))
        while time.perf_counter() < end:
            acts.append(await visitor.act())
            await asyncio.sleep(chance.uniform(0.8, 1.2) * PAUSE)

    await asyncio.gather(*(stay(visitor, random.Random(i)) for i, visitor in enumerate(visitors)))
    met = Crowd([time for time, _ in acts], [number for _, number in acts])
    if process:
        spent = (cpu_time(process) - begin) / max(1, len(acts))
        met = met._replace(cpu=spent, memory=status("VmRSS", process))
    await asyncio.gather(*(visitor.leave() for visitor in visitors))
    return met


def cpu_time(process: int) -> float:
    """Milliseconds that processors have worked for a process."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def reading(count: int, seconds: float) -> Crowd:
    """One crowd at a server of its own; its memory is what each visitor adds."""
    with served("app") as server:
        before = asyncio.run(crowd([server.address], 2, 1, server.process)).memory
        met = asyncio.run(crowd([server.address], count, seconds, server.process))
    return met._replace(memory=(met.memory - before) / count)


def main(arguments: list[str] | None = None) -> None:
    """Print one line per number of visitors: how long an act takes, and memory."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, nargs="*", default=[25, 50, 100, 200, 400])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument(
        "--servers", nargs="+", help="URLs of running servers, or of one proxy, that share visitors"
    )
    chosen = parser.parse_args(arguments or [])
    print(
        "| visitors | acts | p50, ms | p95, ms | CPU of an act, ms | messages"
        " | MiB per visitor |\n|---|---|---|---|---|---|---|"
    )
    for count in chosen.visitors:
        if chosen.servers:
            met = asyncio.run(crowd(chosen.servers, count, chosen.seconds))
        else:
            met = reading(count, chosen.seconds)
        p50, p95 = (1000 * sorted(met.times)[int(one * len(met.times))] for one in (0.5, 0.95))
        print(
            f"| {count} | {len(met.times)} | {p50:.0f} | {p95:.0f} | {met.cpu:.1f} |"
            f" {statistics.median(met.messages):.0f} | {met.memory / MIB:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
