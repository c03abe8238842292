"""The engine's full trace against torch.nn.MultiheadAttention: time and peak memory of one call.

One process per layer, each with the same number of threads, is asked in turn, round by round, so that whatever else
the machine does meets all of them; a ratio is the median of the ratios of the rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from ._layers import CASES

ROOT = Path(__file__).resolve().parent.parent
LAYERS = {
    "numpy": "NumPy",
    "products": "products alone",
    "torch": "PyTorch",
    "torch-batch-first": "PyTorch batch_first",
}
# One round lasts at least so long, or is one call.
ROUND_SECONDS = 0.05
GET_TORCH = "python -m pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"
NO_TORCH = f"PyTorch is not installed in this environment, so only NumPy is measured; to compare: {GET_TORCH}"

Times = list[tuple[float, float]]


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks engine", description=__doc__)
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds per size (25)")
    chosen = parser.parse_args(list(options))
    names = list(LAYERS) if importlib.util.find_spec("torch") else ["numpy", "products"]
    clock = "CPU time, because other jobs may run" if chosen.threads == 1 else "wall time, because threads wait"
    print(f"Engine: one call of attend, float32, {chosen.threads} thread(s), {chosen.rounds} rounds. Clock: {clock}.")
    print("Products alone: the matrix products of the layer in NumPy, into arrays that exist.")
    print("Columns with / are ratios NumPy / PyTorch, below 1 is faster; in brackets their quartiles over the rounds.")
    if len(names) == 2:
        print(NO_TORCH)
    times, worst = measure(names, chosen.threads, chosen.rounds)
    print(table(time_rows(times, 1 if chosen.threads == 1 else 0)))
    if len(names) > 2:
        print(f"Largest difference between the results: {worst:.1e}\n")
    print("Peak memory that one call adds, MiB, in a fresh process:")
    print(table(memory_rows([name for name in names if name != "products"], chosen.threads)))


def measure(names: list[str], threads: int, rounds: int) -> tuple[dict[str, list[Times]], float]:
    """Seconds (wall, CPU) per layer, size and round, and the largest difference between the results."""
    children = {name: start(name, threads) for name in names}
    times: dict[str, list[Times]] = {name: [] for name in names}
    worst = 0.0
    for case in range(len(CASES)):
        worst = max([worst, *(ask(children[name], case, 0) for name in names[2:])])
        once = max(ask(child, case, 2)[0] for child in children.values())
        calls = max(1, round(ROUND_SECONDS / once))
        for name in names:
            times[name].append([])
        for number in range(rounds):
            # Everyone goes first as often as the others.
            for name in names[number % len(names) :] + names[: number % len(names)]:
                times[name][case].append(tuple(ask(children[name], case, calls)))
    for child in children.values():
        child.communicate()
    return times, worst


def start(name: str, threads: int, *arguments: str) -> subprocess.Popen[str]:
    """A child that measures one layer; libraries read their thread counts when they are loaded."""
    counts = {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
    command = [sys.executable, "-m", "benchmarks._layers", name, str(threads), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | counts, stdin=pipe, stdout=pipe, text=True)


def ask(child: subprocess.Popen[str], case: int, calls: int) -> Any:
    """What a child answers: seconds (wall, CPU) of one call, or for no calls the difference from the engine."""
    if child.stdin is None or child.stdout is None:
        raise RuntimeError("the child was started without pipes")
    child.stdin.write(json.dumps([case, calls]) + "\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())


def time_rows(times: dict[str, list[Times]], clock: int) -> list[list[str]]:
    """The table of times: milliseconds of every layer, ratios to each PyTorch layer, with quartiles."""
    others = [name for name in times if name != "numpy"]
    header = ["batch, tokens, width, heads", *(f"{LAYERS[name]} ms" for name in times)]
    rows = [header + [f"/ {LAYERS[name]}" for name in others]]
    for case, sizes in enumerate(CASES):
        seconds = {name: [pair[clock] for pair in rounds[case]] for name, rounds in times.items()}
        row = [", ".join(map(str, sizes)), *(f"{median(s) * 1000:.3f}" for s in seconds.values())]
        for name in others:
            ratios = [a / b for a, b in zip(seconds["numpy"], seconds[name], strict=True)]
            low, middle, high = quantiles(ratios, n=4)
            row.append(f"{middle:.2f} ({low:.2f}-{high:.2f})")
        rows.append(row)
    return rows


def memory_rows(names: list[str], threads: int) -> list[list[str]]:
    """The table of peak memory; below 1 MiB a ratio would compare single pages."""
    others = names[1:]
    rows = [
        ["batch, tokens, width, heads", *(LAYERS[name] for name in names), *(f"/ {LAYERS[name]}" for name in others)]
    ]
    for case, sizes in enumerate(CASES):
        peaks = [json.loads(start(name, threads, str(case)).communicate()[0]) for name in names]
        row = [", ".join(map(str, sizes)), *("-" if peak is None else f"{peak:.1f}" for peak in peaks)]
        row += ["-" if peak is None or peak < 1 else f"{peaks[0] / peak:.2f}" for peak in peaks[1:]]
        rows.append(row)
    return rows


def table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, the first being its header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in padded]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
