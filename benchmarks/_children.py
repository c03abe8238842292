"""The children of a benchmark: one process per library, asked in turn, and what is said of their
times.

One process per library, each with the same number of threads, is asked round by round, so that
whatever else the machine does meets all of them; a ratio is the median of the ratios of the rounds.
A benchmark gives a function that makes the call to measure from the library, the case and the
threads; it runs in the child, which loads the library.
"""

import argparse
import importlib.util
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

GET_TORCH = "python -m pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"
NO_TORCH = (
    "PyTorch is not installed in this environment, so only NumPy is measured; to compare:"
    f" {GET_TORCH}"
)

Case = tuple[Any, ...]
CallOf = Callable[[str, Any, int], Callable[[], Any]]
Times = dict[str, list[list[tuple[float, float]]]]  # (wall, CPU) seconds by library, case, round
# One round lasts at least so long, or is one call.
ROUND_SECONDS = 0.05
MIB = 2**20


def child(threads: int) -> ProcessPoolExecutor:
    """A process of its own. Libraries read their thread counts when they are loaded there."""
    os.environ |= {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
    return ProcessPoolExecutor(1, get_context("spawn"))


def timed(call_of: CallOf, name: str, case: Case, threads: int, calls: int) -> tuple[float, float]:
    """The mean (wall, CPU) seconds of a call, in a child."""
    call = call_of(name, case, threads)
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(calls):
        call()
    return (time.perf_counter() - wall) / calls, (time.process_time() - cpu) / calls


def difference(call_of: CallOf, name: str, case: Case, threads: int) -> float:
    """The largest difference between a result and that of NumPy, in a child."""
    own, ours = (np.asarray(call_of(one, case, threads)()) for one in (name, "numpy"))
    return float(np.abs(own - ours).max())


def in_turn(names: list[str], number: int) -> list[str]:
    """The order of a round: everyone goes first as often as the others."""
    return names[number % len(names) :] + names[: number % len(names)]


def parsed(name: str, about: str | None, options: Sequence[str]) -> argparse.Namespace:
    """The threads and rounds that the command line asks for, which seconds of (wall, CPU) count,
    and whether PyTorch is there; says so.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {name}", description=about)
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds per case (25)")
    chosen = parser.parse_args(list(options))
    chosen.clock = int(chosen.threads == 1)
    why = "CPU time, because other jobs may run" if chosen.clock else "wall time: threads wait"
    print(f"{chosen.threads} thread(s), {chosen.rounds} rounds. Clock: {why}.")
    print("/: ratio NumPy / other, below 1 is faster; in brackets its quartiles over the rounds.")
    chosen.torch = importlib.util.find_spec("torch") is not None
    if not chosen.torch:
        print(NO_TORCH)
    return chosen


def measure(
    call_of: CallOf,
    names: Sequence[str],
    cases: Sequence[Case],
    chosen: argparse.Namespace,
    unlike: str,
) -> tuple[Times, float]:
    """The times of every library that is there, and the largest difference between their results
    and ours. unlike: a library that computes something else, or in another type.
    """
    children = {name: child(chosen.threads) for name in names}

    def ask(task: Callable[..., Any], name: str, case: Case, *more: int) -> Any:
        return children[name].submit(task, call_of, name, case, chosen.threads, *more).result()

    times: Times = {name: [[] for _ in cases] for name in names}
    worst = 0.0
    for number, case in enumerate(cases):
        worst = max([worst, *(ask(difference, name, case) for name in names if name != unlike)])
        once = max(ask(timed, name, case, 2)[0] for name in names)
        calls = max(1, round(ROUND_SECONDS / once))
        for turn in range(chosen.rounds):
            for name in in_turn(list(names), turn):
                times[name][number].append(ask(timed, name, case, calls))
    for one in children.values():
        one.shutdown()
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


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the ratios of the rounds, with their quartiles."""
    low, middle, high = quantiles([a / b for a, b in zip(ours, theirs, strict=True)], n=4)
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def status(field: str, process: int | str = "self") -> int:
    """A memory counter of a process as Linux keeps it, in bytes."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, the first being its header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in padded]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"
