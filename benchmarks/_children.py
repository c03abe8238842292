"""The children of a benchmark: one process per library, asked in turn, and what is said of their
times.

One process per library, each with the same number of threads, is asked round by round, so that
whatever else the machine does meets all of them; a ratio is the median of the ratios of the rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
GET_TORCH = "python -m pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"
NO_TORCH = (
    "PyTorch is not installed in this environment, so only NumPy is measured; to compare:"
    f" {GET_TORCH}"
)

Child = subprocess.Popen[str]
Times = dict[str, list[list[tuple[float, float]]]]  # (wall, CPU) seconds by library, case, round
# One round lasts at least so long, or is one call.
ROUND_SECONDS = 0.05


def start(module: str, name: str, threads: int, *arguments: str) -> Child:
    """A child that measures one library; libraries read their thread counts when they are
    loaded.
    """
    counts = {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
    command = [sys.executable, "-m", f"benchmarks.{module}", name, str(threads), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=ROOT, env=os.environ | counts, stdin=pipe, stdout=pipe, text=True
    )


def ask(child: Child, *question: Any) -> Any:
    """What a child answers to a line of JSON."""
    if child.stdin is None or child.stdout is None:
        raise RuntimeError("the child was started without pipes")
    child.stdin.write(json.dumps(question) + "\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())


def in_turn(names: list[str], number: int) -> list[str]:
    """The order of a round: everyone goes first as often as the others."""
    return names[number % len(names) :] + names[: number % len(names)]


def parsed(name: str, about: str | None, options: Sequence[str]) -> argparse.Namespace:
    """The threads and rounds that the command line asks for, and which seconds of (wall, CPU)
    count; says so.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {name}", description=about)
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds per case (25)")
    chosen = parser.parse_args(list(options))
    chosen.clock = int(chosen.threads == 1)
    why = "CPU time, because other jobs may run" if chosen.clock else "wall time: threads wait"
    print(f"{chosen.threads} thread(s), {chosen.rounds} rounds. Clock: {why}.")
    print("/: ratio NumPy / other, below 1 is faster; in brackets its quartiles over the rounds.")
    if not importlib.util.find_spec("torch"):
        print(NO_TORCH)
    return chosen


def measure(
    module: str, names: Sequence[str], n_cases: int, chosen: argparse.Namespace
) -> tuple[Times, float]:
    """The times of every library that is there, and the largest difference between their results
    and ours.
    """
    children = {name: start(module, name, chosen.threads) for name in names}
    times: Times = {name: [[] for _ in range(n_cases)] for name in names}
    worst = 0.0
    for case in range(n_cases):
        worst = max([worst, *(ask(child, case, 0) for child in children.values())])
        once = max(ask(child, case, 2)[0] for child in children.values())
        calls = max(1, round(ROUND_SECONDS / once))
        for number in range(chosen.rounds):
            for name in in_turn(list(names), number):
                times[name][case].append(tuple(ask(children[name], case, calls)))
    for child in children.values():
        child.communicate()
    return times, worst


def time_rows(
    heads: Sequence[str],
    cases: Sequence[Sequence[object]],
    titles: dict[str, str],
    times: Times,
    clock: int,
) -> list[list[str]]:
    """The table of times: milliseconds of every library, ratios to each of the others."""
    ours, *others = times
    rows = [
        [
            *heads,
            *(f"{titles[name]} ms" for name in times),
            *(f"/ {titles[name]}" for name in others),
        ]
    ]
    for case, cells in enumerate(cases):
        seconds = {name: [pair[clock] for pair in rounds[case]] for name, rounds in times.items()}
        spent = [f"{median(one) * 1000:.3f}" for one in seconds.values()]
        ratios = [ratio(seconds[ours], seconds[name]) for name in others]
        rows.append([*map(str, cells), *spent, *ratios])
    return rows


def serve(
    call_of: Callable[[str, Any, int], Callable[[], Any]],
    cases: Sequence[Any],
    unlike: str = "",
) -> None:
    """Answer each line (case, number of calls) on standard input with the mean (wall, CPU) seconds
    of a call; for no calls, with the largest difference from what NumPy gives. unlike: a
    library that computes in another type.
    """
    name, threads = sys.argv[1], int(sys.argv[2])
    for line in sys.stdin:
        index, calls = json.loads(line)
        call = call_of(name, cases[index], threads)
        answer: Any = 0.0
        if calls:
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(calls):
                call()
            answer = [(time.perf_counter() - wall) / calls, (time.process_time() - cpu) / calls]
        elif name != unlike:
            ours = call_of("numpy", cases[index], threads)
            answer = float(np.abs(np.asarray(call()) - np.asarray(ours())).max())
        print(json.dumps(answer), flush=True)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the ratios of the rounds, with their quartiles."""
    low, middle, high = quantiles([a / b for a, b in zip(ours, theirs, strict=True)], n=4)
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, the first being its header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in padded]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"
