"""The trained encoder, every trace kept, against the same model in PyTorch with all its attention
returned.

One process per library, each with the same number of threads, is asked in turn, round by round, so
that whatever else the machine does meets all of them; a ratio is the median of the ratios of the
rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from statistics import median

from ._children import GET_TORCH, Times, ask, clock_of, in_turn, ratio, start, table
from ._encoders import TOKENS

ENCODERS = {"numpy": "NumPy", "products": "products alone", "torch": "PyTorch"}
TARGETS = {16: 60, 128: 300}  # milliseconds
NO_TORCH = (
    f"Without PyTorch and transformers only NumPy is measured; to compare: {GET_TORCH}; pip install"
    " transformers"
)


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks minilm", description=__doc__)
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds per length (25)")
    chosen = parser.parse_args(list(options))
    libraries = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
    names = list(ENCODERS) if libraries else ["numpy", "products"]
    clock, why = clock_of(chosen.threads)
    print(
        f"all-MiniLM-L6-v2, 72 heads, float32, {chosen.threads} thread(s), {chosen.rounds} rounds."
        f" Clock: {why}."
    )
    print("Products alone: the matrix products of all layers in NumPy, into arrays that exist.")
    print(
        "Columns with / are ratios NumPy / other, below 1 is faster; in brackets their quartiles"
        " over the rounds."
    )
    if not libraries:
        print(NO_TORCH)
    times, worst = measure(names, chosen.threads, chosen.rounds)
    print(table(rows(times, clock)))
    if libraries:
        print(f"Largest difference between the results: {worst:.1e}")


def measure(names: list[str], threads: int, rounds: int) -> tuple[dict[str, list[Times]], float]:
    """Seconds (wall, CPU) per encoder, length and round, and the largest difference between the
    results.
    """
    children = {name: start("_encoders", name, threads) for name in names}
    times: dict[str, list[Times]] = {name: [[] for _ in TOKENS] for name in names}
    worst = 0.0
    for case in range(len(TOKENS)):
        worst = max([worst, *(ask(children[name], case, 0) for name in names[2:])])
        for child in children.values():
            ask(child, case, 3)
        for number in range(rounds):
            for name in in_turn(names, number):
                times[name][case].append(tuple(ask(children[name], case, 2)))
    for child in children.values():
        child.communicate()
    return times, worst


def rows(times: dict[str, list[Times]], clock: int) -> list[list[str]]:
    """The table: milliseconds of every encoder, the target, ratios with quartiles."""
    others = [name for name in times if name != "numpy"]
    header = ["tokens", *(f"{ENCODERS[name]} ms" for name in times), "target ms"]
    lines = [header + [f"/ {ENCODERS[name]}" for name in others]]
    for case, n_tokens in enumerate(TOKENS):
        seconds = {name: [pair[clock] for pair in rounds[case]] for name, rounds in times.items()}
        line = [
            str(n_tokens),
            *(f"{median(s) * 1000:.1f}" for s in seconds.values()),
            str(TARGETS.get(n_tokens, "-")),
        ]
        for name in others:
            line.append(ratio(seconds["numpy"], seconds[name]))
        lines.append(line)
    return lines


if __name__ == "__main__":
    main(sys.argv[1:])
