"""Load on the server: many visitors, each of whom does something every few seconds.

Usually all are on the scores page and move the slider of the sequence length. Mixed (--mixed) they
are spread over 15 pages, and half of what they do is a new sentence. A visitor speaks Streamlit's
protocol as a browser does but draws nothing. The time of an act is from the message of a widget
until the script of that visitor has finished. One server process, or those that are named.
"""

import argparse
import asyncio
import itertools
import json
import math
import os
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from attention_lab.presets import example_for
from attention_lab.url_choices import UrlChoices, write_url

from ._children import MIB, status
from ._servers import ROOT, served

PAGE, SLIDER, TEXT = "scores", "n_tokens", "text"
PLACES = ("10", "11", "12", "13", "14")  # so many that no answer is still kept from an earlier act
MIXED_PAGES = (
    *("overview", "projections", "scores", "mask", "softmax", "mixing", "output", "next-token"),
    *("all-heads", "head-worth", "what-changes", "encoder-decoder", "self-attention-mass"),
    *("why-this-token", "trained-heads"),
)
WORDS = (
    "the a one little big old red sad happy frog cat bird girl boy tree house day lake ball friend"
    " saw found liked wanted took gave made said ran jumped and but then because with under into"
)
PAUSE = 5.0
SECONDS_UNTIL_FORGOTTEN = 180.0  # Streamlit keeps a visit for two minutes after it ended

Act = tuple[str, str]  # the name of a control in the URL, and its new value


def slider_acts(_: str) -> Iterator[Act]:
    """The slider, moved again and again."""
    return ((SLIDER, place) for place in itertools.cycle(PLACES))


def mixed_acts(name: str) -> Iterator[Act]:
    """A new sentence and another control in turn; who is odd begins with the control."""
    chance, places = random.Random(name), itertools.cycle(PLACES)
    for turn in itertools.count(chance.randrange(2)):
        if turn % 2:
            yield SLIDER, next(places)
        else:
            yield TEXT, " ".join(chance.choices(WORDS.split(), k=chance.randint(6, 11)))


class Visitor:
    """One browser's side of the conversation: it keeps what the widgets hold and moves one of
    them.
    """

    def __init__(self, address: str, name: str, page: str, mixed: bool) -> None:
        """name: of the visitor in the cookie of a proxy (deploy/nginx.conf)."""
        self.address = address.replace("http", "ws")
        self.headers = {"Cookie": f"lab_visitor={name}"}
        self.page, self.acts = page, (mixed_acts if mixed else slider_acts)(name)
        self.query = {SLIDER: PLACES[-1]}
        if mixed:
            self.query = write_url(UrlChoices(example_for(page).scenario))
        self.states: dict[str, WidgetState] = {}  # by the id of the widget
        self.ids: dict[str, str] = {}  # by the name in the URL

    async def arrive(self) -> None:
        """Open the page and learn the names of its widgets."""
        self.socket = await websockets.connect(
            f"{self.address}/_stcore/stream",
            subprotocols=[websockets.Subprotocol("streamlit")],
            max_size=None,
            open_timeout=120,
            additional_headers=self.headers,
        )
        await self._run()

    async def act(self) -> tuple[float, int]:
        """Move a widget; the seconds until the page has been made, and its messages."""
        name, value = next(self.acts)
        while name not in self.ids:  # the page has no such widget
            name, value = next(self.acts)
        state = self.states[self.ids[name]]
        if name == SLIDER:
            state.string_array_value.data[:] = [value]
        else:
            state.string_value = value
        self.query[name] = value
        start = time.perf_counter()
        said, n_messages = await self._run()
        taken = time.perf_counter() - start
        shape = f"× {value} × {value}"  # of the scores
        if (name, self.page) == (SLIDER, PAGE) and shape not in said:
            raise RuntimeError(f"The page does not show {value} tokens")
        return taken, n_messages

    async def leave(self) -> None:
        """Close the tab."""
        await self.socket.close()

    async def _run(self) -> tuple[str, int]:
        """Let the script run; the shapes of what the page shows, and the number of messages."""
        message = BackMsg()
        message.rerun_script.page_name = self.page
        message.rerun_script.query_string = urlencode(self.query)
        message.rerun_script.widget_states.widgets.extend(self.states.values())
        await self.socket.send(message.SerializeToString())
        texts: list[str] = []
        for count in itertools.count(1):
            answer = ForwardMsg.FromString(await self.socket.recv(decode=False))
            match answer.WhichOneof("type"):
                case "delta":
                    texts += self._hear(answer.delta.new_element)
                case "page_info_changed":
                    self.query = dict(parse_qsl(answer.page_info_changed.query_string))
                case "script_finished":
                    return " ".join(texts), count
        raise AssertionError("a count has no end")

    def _hear(self, element: Element) -> list[str]:
        """Keep what a widget holds; the shapes of a board."""
        match element.WhichOneof("type"):
            case "exception":
                raise RuntimeError(f"{self.page}?{urlencode(self.query)} ends with an error")
            case "bidi_component" if element.bidi_component.component_name.endswith("board"):
                return _shapes(element.bidi_component.bytes)
            case "text_input" | "slider" | "number_input" | "selectbox" as kind:
                widget = getattr(element, kind)
                self.ids[widget.query_param_key or widget.id] = widget.id
                if widget.set_value or widget.id not in self.states:
                    self.states[widget.id] = _state(kind, widget)
        return []


def _state(kind: str, widget: Any) -> WidgetState:
    """What a widget holds that the server has just sent."""
    state = WidgetState(id=widget.id)
    held = widget.value if kind != "selectbox" and widget.set_value else widget.default
    if kind == "text_input":
        state.string_value = held
    elif kind == "number_input":
        state.double_value = held
    elif kind == "selectbox":
        state.string_value = widget.raw_value if widget.set_value else widget.options[held]
    elif widget.options:
        texts = widget.raw_value if widget.set_value else [widget.options[int(n)] for n in held]
        state.string_array_value.data[:] = texts
    else:
        state.double_array_value.data[:] = held
    return state


def _shapes(board: bytes) -> list[str]:
    """The shape of every array of a board, whose text has its length before it."""
    if not board:  # it keeps the last picture
        return []
    scene = json.loads(board[4 : 4 + int.from_bytes(board[:4], "little")])
    return [" × ".join(map(str, array["shape"])) for array in scene["arrays"].values()]


class Crowd(NamedTuple):
    """What a crowd met with: the seconds and the messages of each act, the processor time of an act
    in the server in ms, the share of a core that it takes, and the memory of the server in bytes
    while all are there and when all have left; NaN of servers that run already.
    """

    times: list[float]
    messages: list[int]
    cpu: float = math.nan
    share: float = math.nan
    memory: float = math.nan
    left: float = math.nan


async def crowd(
    servers: Sequence[str],
    count: int,
    seconds: float,
    mixed: bool = False,
    process: int | None = None,
) -> Crowd:
    """All acts of visitors who come ten at a time, then act about every five seconds. process: of
    the server, if there is only this.
    """
    visitors = [
        Visitor(
            servers[place % len(servers)],
            str(place),
            MIXED_PAGES[place % len(MIXED_PAGES)] if mixed else PAGE,
            mixed,
        )
        for place in range(count)
    ]
    for first in range(0, count, 10):
        await asyncio.gather(*(visitor.arrive() for visitor in visitors[first : first + 10]))
    begin = cpu_time(process) if process else math.nan
    acts: list[tuple[float, int]] = []
    start = time.perf_counter()
    end = start + seconds

    async def stay(visitor: Visitor, chance: random.Random) -> None:
        await asyncio.sleep(chance.uniform(0, PAUSE))
        while time.perf_counter() < end:
            acts.append(await visitor.act())
            await asyncio.sleep(chance.uniform(0.8, 1.2) * PAUSE)

    await asyncio.gather(*(stay(visitor, random.Random(i)) for i, visitor in enumerate(visitors)))
    met = Crowd([time for time, _ in acts], [number for _, number in acts])
    if process:
        spent, wall = cpu_time(process) - begin, time.perf_counter() - start
        memory = status("VmRSS", process)
        met = met._replace(cpu=spent / len(acts), share=spent / wall / 1000, memory=memory)
    await asyncio.gather(*(visitor.leave() for visitor in visitors))
    return met


def cpu_time(process: int) -> float:
    """Milliseconds that processors have worked for a process."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def reading(count: int, chosen: argparse.Namespace) -> Crowd:
    """One crowd at a server of its own, which one visitor of each page has warmed."""
    with served(chosen.root) as server:
        addresses, n_pages = [server.address], len(MIXED_PAGES)
        asyncio.run(crowd(addresses, n_pages, 1, chosen.mixed, server.process))
        met = asyncio.run(crowd(addresses, count, chosen.seconds, chosen.mixed, server.process))
        if chosen.until_left:
            time.sleep(SECONDS_UNTIL_FORGOTTEN)
            met = met._replace(left=status("VmRSS", server.process))
    return met


def main(arguments: list[str] | None = None) -> None:
    """Print one line per number of visitors: how long an act takes, and memory."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, nargs="*", default=[25, 50, 100, 200, 400])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--mixed", action="store_true", help="15 pages, half of the acts new texts")
    parser.add_argument(
        "--until-left", action="store_true", help="also the memory when all have left, 180 s later"
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder of another version")
    parser.add_argument(
        "--servers", nargs="+", help="URLs of running servers, or of one proxy, that share visitors"
    )
    chosen = parser.parse_args(arguments or [])
    print(
        "| visitors | acts | p50, ms | p95, ms | CPU of an act, ms | of a core | messages"
        " | MiB | MiB when all have left |\n|---|---|---|---|---|---|---|---|---|"
    )
    for count in chosen.visitors:
        if chosen.servers:
            met = asyncio.run(crowd(chosen.servers, count, chosen.seconds, chosen.mixed))
        else:
            met = reading(count, chosen)
        p50, p95 = (1000 * sorted(met.times)[int(one * len(met.times))] for one in (0.5, 0.95))
        print(
            f"| {count} | {len(met.times)} | {p50:.0f} | {p95:.0f} | {met.cpu:.1f} |"
            f" {met.share:.0%} | {statistics.median(met.messages):.0f} | {met.memory / MIB:.0f} |"
            f" {met.left / MIB:.0f} |",
            flush=True,
        )
