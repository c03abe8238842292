"""Load on the server: many visitors on the scores page, each moving a slider every few seconds.

A visitor speaks Streamlit's protocol as a browser does but draws nothing. The time of an act is
from the message that a slider moved until the script of that visitor has finished. One server
process; the usual page for comparison.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from .pages import SERVERS, served

PAGE, SLIDER = "scores", "n_tokens"
PLACES = ("10", "11", "12", "13", "14")  # so many that no answer is still kept from an earlier act
PAUSE = 5.0


class Visitor:
    """One browser's side of the conversation: it keeps what the widgets hold and moves one
    slider.
    """

    def __init__(self, address: str) -> None:
        self.address = address.replace("http", "ws")
        self.places = itertools.cycle(PLACES)
        self.slider = ""

    async def arrive(self) -> None:
        """Open the page and learn the name of its slider."""
        self.socket = await websockets.connect(
            f"{self.address}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
            open_timeout=120,
        )
        await self._run(BackMsg())

    async def act(self) -> float:
        """Move the slider; the seconds until the page has been made."""
        place = next(self.places)
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self.slider
        state.string_array_value.data.append(place)
        start = time.perf_counter()
        said = await self._run(message)
        taken = time.perf_counter() - start
        if f"× {place} × {place}" not in said:  # the shape of the scores
            raise RuntimeError(f"The page does not show {place} tokens")
        return taken

    async def leave(self) -> None:
        """Close the tab."""
        await self.socket.close()

    async def _run(self, message: BackMsg) -> str:
        """Let the script run; the texts of the page."""
        message.rerun_script.page_name = PAGE
        await self.socket.send(message.SerializeToString())
        texts: list[str] = []
        while True:
            answer = ForwardMsg.FromString(await self.socket.recv())
            element = answer.delta.new_element
            match element.WhichOneof("type") if answer.WhichOneof("type") == "delta" else "":
                case "slider" if element.slider.id.endswith(f"-{SLIDER}"):
                    self.slider = element.slider.id
                case "markdown":
                    texts.append(element.markdown.body)
            if answer.WhichOneof("type") == "script_finished":
                return "".join(texts)


async def crowd(
    address: str, count: int, seconds: float, memory: Callable[[], float]
) -> tuple[list[float], float]:
    """The times of all acts of so many visitors, each about every five seconds, and the memory
    while all are there.
    """
    visitors = [Visitor(address) for _ in range(count)]
    for first in range(0, count, 10):
        await asyncio.gather(*(visitor.arrive() for visitor in visitors[first : first + 10]))
    end, times = time.perf_counter() + seconds, []

    async def stay(visitor: Visitor, chance: random.Random) -> None:
        await asyncio.sleep(chance.uniform(0, PAUSE))
        while time.perf_counter() < end:
            times.append(await visitor.act())
            await asyncio.sleep(chance.uniform(0.8, 1.2) * PAUSE)

    await asyncio.gather(*(stay(visitor, random.Random(i)) for i, visitor in enumerate(visitors)))
    used = memory()
    await asyncio.gather(*(visitor.leave() for visitor in visitors))
    return times, used


async def visits(address: str, count: int) -> None:
    """So many visitors who come, act once and go, ten at a time."""
    for _ in range(count // 10):
        visitors = [Visitor(address) for _ in range(10)]
        await asyncio.gather(*(visitor.arrive() for visitor in visitors))
        await asyncio.gather(*(visitor.act() for visitor in visitors))
        await asyncio.gather(*(visitor.leave() for visitor in visitors))


def resident(name: str) -> float:
    """MiB of memory of the server that runs the app or a rival."""
    module, script, _ = SERVERS[name]
    found = subprocess.run(
        ["pgrep", "-f", f"{module} run {script}"], capture_output=True, text=True, check=True
    )
    status = Path(f"/proc/{found.stdout.split()[0]}/status").read_text(encoding="ascii")
    return next(
        int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")
    )


def main(arguments: list[str] | None = None) -> None:
    """Print one line per number of visitors: how long an act takes, and memory; then what 500
    visits leave behind.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, nargs="*", default=[25, 50, 100, 200, 400])
    parser.add_argument("--seconds", type=float, default=20)
    chosen = parser.parse_args(arguments or [])
    print(
        "| pages of | visitors | acts | p50, ms | p95, ms | MiB per visitor"
        " |\n|---|---|---|---|---|---|"
    )
    for name in ("app", "usual"):
        for count in (
            chosen.visitors if name == "app" else chosen.visitors[:2]
        ):  # more bring the usual page down
            with served(name) as address:
                _, before = asyncio.run(crowd(address, 2, 1, partial(resident, name)))
                times, after = asyncio.run(
                    crowd(address, count, chosen.seconds, partial(resident, name))
                )
            p50, p95 = (1000 * sorted(times)[int(share * len(times))] for share in (0.5, 0.95))
            each = (after - before) / count
            print(
                f"| {name} | {count} | {len(times)} | {p50:.0f} | {p95:.0f} | {each:.2f} |",
                flush=True,
            )
    with served("app") as address:
        asyncio.run(visits(address, 600))  # until then the process still grows to its size
        before = resident("app")
        asyncio.run(visits(address, 500))
        left = resident("app") - before
    print(f"\nMemory after 500 more visits: {left:+.1f} MiB ({os.cpu_count()} cores).")


if __name__ == "__main__":
    main(sys.argv[1:])
