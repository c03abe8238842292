"""Load on the server: many visitors on one page, each moving a slider every few seconds, over the app's own websocket.

A visitor speaks Streamlit's protocol as a browser does but draws nothing. The time of an act is from the message that
a slider moved until the script of that visitor has finished. One server process; the usual page for comparison.
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
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from .pages import RIVALS, ROOT, served

# name -> the script, the page, the slider that is moved, and where to
PAGES = {
    "scores": (ROOT / "app.py", "scores", "n_heads", (2.0, 4.0)),
    "usual": (RIVALS["usual"], "", "n_tokens", (12.0, 13.0)),
}
PAUSE = 5.0


class Visitor:
    """One browser's side of the conversation: it keeps what the widgets hold and moves one slider."""

    def __init__(self, address: str, page: str, key: str, values: Iterable[float]) -> None:
        self.address, self.page, self.key = address.replace("http", "ws"), page, key
        self.values = itertools.cycle(values)
        self.slider = ""

    async def arrive(self) -> None:
        """Open the page and learn the name of its slider."""
        self.socket = await websockets.connect(
            f"{self.address}/_stcore/stream", subprotocols=["streamlit"], max_size=None, open_timeout=120
        )
        await self._run(BackMsg())

    async def act(self) -> float:
        """Move the slider; the seconds until the page has been made."""
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self.slider
        state.double_array_value.data.append(next(self.values))
        start = time.perf_counter()
        await self._run(message)
        return time.perf_counter() - start

    async def leave(self) -> None:
        """Close the tab."""
        await self.socket.close()

    async def _run(self, message: BackMsg) -> None:
        message.rerun_script.page_name = self.page
        await self.socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(await self.socket.recv())
            kind = answer.WhichOneof("type")
            if kind == "delta" and answer.delta.new_element.WhichOneof("type") == "slider":
                widget = answer.delta.new_element.slider.id
                if widget.endswith(f"-{self.key}"):
                    self.slider = widget
            if kind == "script_finished":
                return


async def crowd(
    address: str, name: str, count: int, seconds: float, memory: Callable[[], float]
) -> tuple[list[float], float]:
    """The times of all acts of so many visitors, each about every five seconds, and the memory while all are there."""
    _, page, key, values = PAGES[name]
    visitors = [Visitor(address, page, key, values) for _ in range(count)]
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
    _, page, key, values = PAGES["scores"]
    for _ in range(count // 10):
        visitors = [Visitor(address, page, key, values) for _ in range(10)]
        await asyncio.gather(*(visitor.arrive() for visitor in visitors))
        await asyncio.gather(*(visitor.act() for visitor in visitors))
        await asyncio.gather(*(visitor.leave() for visitor in visitors))


def resident(script: Path) -> float:
    """MiB of memory of the server that runs a script."""
    found = subprocess.run(["pgrep", "-f", f"streamlit run {script}"], capture_output=True, text=True, check=True)
    status = Path(f"/proc/{found.stdout.split()[0]}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def main(arguments: list[str] | None = None) -> None:
    """Print one line per number of visitors: how long an act takes, and memory; then what 500 visits leave behind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, nargs="*", default=[25, 50, 100, 200, 400])
    parser.add_argument("--seconds", type=float, default=20)
    chosen = parser.parse_args(arguments or [])
    print("| page | visitors | acts | p50, ms | p95, ms | MiB per visitor |\n|---|---|---|---|---|---|")
    for name, (script, *_) in PAGES.items():
        for count in chosen.visitors if name != "usual" else chosen.visitors[:2]:
            with served(script) as address:
                _, before = asyncio.run(crowd(address, name, 2, 1, partial(resident, script)))
                times, after = asyncio.run(crowd(address, name, count, chosen.seconds, partial(resident, script)))
            p50, p95 = (1000 * sorted(times)[int(share * len(times))] for share in (0.5, 0.95))
            each = (after - before) / count
            print(f"| {name} | {count} | {len(times)} | {p50:.0f} | {p95:.0f} | {each:.2f} |", flush=True)
    with served(PAGES["scores"][0]) as address:
        asyncio.run(visits(address, 600))  # until then the process still grows to its size
        before = resident(PAGES["scores"][0])
        asyncio.run(visits(address, 500))
        left = resident(PAGES["scores"][0]) - before
    print(f"\nMemory after 500 more visits: {left:+.1f} MiB ({os.cpu_count()} cores).")


if __name__ == "__main__":
    main(sys.argv[1:])
