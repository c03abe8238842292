"""The trained encoder, every trace kept, against the same model in PyTorch with all its attention returned.

One process per library, each with the same number of threads, is asked in turn, round by round, so that whatever else
the machine does meets all of them; a ratio is the median of the ratios of the rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from statistics import median, quantiles

from ._encoders import TOKENS
from .engine import GET_TORCH, ROOT, Times, ask, table

ENCODERS = {"numpy": "NumPy", "products": "products alone", "torch": "PyTorch"}
TARGETS = {16: 60, 128: 300}  # milliseconds
NO_TORCH = f"Without PyTorch and transformers only NumPy is measured; to compare: {GET_TORCH}; pip install transformers"


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks minilm", description=__doc__)
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds per length (25)")
    chosen = parser.parse_args(list(options))
    libraries = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
    names = list(ENCODERS) if libraries else ["numpy", "products"]
    clock = "CPU time, because other jobs may run" if chosen.threads == 1 else "wall time, because threads wait"
    print(f"all-MiniLM-L6-v2, 72 heads, float32, {chosen.threads} thread(s), {chosen.rounds} rounds. Clock: {clock}.")
    print("Products alone: the matrix products of all layers in NumPy, into arrays that exist.")
    print("Columns with / are ratios NumPy / other, below 1 is faster; in brackets their quartiles over the rounds.")
    if not libraries:
        print(NO_TORCH)
    times, worst = measure(names, chosen.threads, chosen.rounds)
    print(table(rows(times, 1 if chosen.threads == 1 else 0)))
    if libraries:
        print(f"Largest difference between the results: {worst:.1e}")


def measure(names: list[str], threads: int, rounds: int) -> tuple[dict[str, list[Times]], float]:
    """Seconds (wall, CPU) per encoder, length and round, and the largest difference between the results."""
    children = {name: start(name, threads) for name in names}
    times: dict[str, list[Times]] = {name: [[] for _ in TOKENS] for name in names}
    worst = 0.0
    for case in range(len(TOKENS)):
        worst = max([worst, *(ask(children[name], case, 0) for name in names[2:])])
        for child in children.values():
            ask(child, case, 3)
        for number in range(rounds):
            # Everyone goes first as often as the others.
            for name in names[number % len(names) :] + names[: number % len(names)]:
                times[name][case].append(tuple(ask(children[name], case, 2)))
    for child in children.values():
        child.communicate()
    return times, worst


def start(name: str, threads: int) -> subprocess.Popen[str]:
    """A child that measures one encoder; libraries read their thread counts when they are loaded."""
    counts = {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
    command = [sys.executable, "-m", "benchmarks._encoders", name, str(threads)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | counts, stdin=pipe, stdout=pipe, text=True)


def rows(times: dict[str, list[Times]], clock: int) -> list[list[str]]:
    """The table: milliseconds of every encoder, the target, ratios with quartiles."""
    others = [name for name in times if name != "numpy"]
    header = ["tokens", *(f"{ENCODERS[name]} ms" for name in times), "target ms"]
    lines = [header + [f"/ {ENCODERS[name]}" for name in others]]
    for case, n_tokens in enumerate(TOKENS):
        seconds = {name: [pair[clock] for pair in rounds[case]] for name, rounds in times.items()}
        line = [str(n_tokens), *(f"{median(s) * 1000:.1f}" for s in seconds.values()), str(TARGETS.get(n_tokens, "-"))]
        for name in others:
            ratios = [a / b for a, b in zip(seconds["numpy"], seconds[name], strict=True)]
            low, middle, high = quantiles(ratios, n=4)
            line.append(f"{middle:.2f} ({low:.2f}-{high:.2f})")
        lines.append(line)
    return lines


if __name__ == "__main__":
    main(sys.argv[1:])
