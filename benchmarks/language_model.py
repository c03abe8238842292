"""The language model against the same model in PyTorch, eager: a run of 64 tokens, of which ours
keeps every trace, and a step with 128 tokens in the cache.

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

from ._children import NO_TORCH, Times, ask, clock_of, in_turn, ratio, start, table
from ._decoders import CASES

LIBRARIES = {"numpy": "NumPy", "float64": "PyTorch", "float32": "PyTorch float32"}
CALLS = 20  # of a round


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks language_model", description=__doc__
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds per case (25)")
    chosen = parser.parse_args(list(options))
    names = list(LIBRARIES) if importlib.util.find_spec("torch") else ["numpy"]
    clock, why = clock_of(chosen.threads)
    print(
        f"stories260K in float64, {chosen.threads} thread(s), {chosen.rounds} rounds of {CALLS}"
        f" calls. Clock: {why}."
    )
    if len(names) == 1:
        print(NO_TORCH)
    times, worst = measure(names, chosen.threads, chosen.rounds)
    print(table(rows(times, clock)))
    if len(names) > 1:
        print(f"Largest difference between the logits in float64: {worst:.1e}")


def measure(names: list[str], threads: int, rounds: int) -> tuple[dict[str, list[Times]], float]:
    """Seconds (wall, CPU) per library, case and round, and the largest difference between the
    logits in float64.
    """
    children = {name: start("_decoders", name, threads) for name in names}
    times: dict[str, list[Times]] = {name: [[] for _ in CASES] for name in names}
    worst = 0.0
    for case in range(len(CASES)):
        worst = max([worst, *(ask(children[name], case, 0) for name in names if name == "float64")])
        for child in children.values():
            ask(child, case, CALLS)
        for number in range(rounds):
            for name in in_turn(names, number):
                times[name][case].append(tuple(ask(children[name], case, CALLS)))
    for child in children.values():
        child.communicate()
    return times, worst


def rows(times: dict[str, list[Times]], clock: int) -> list[list[str]]:
    """The table: milliseconds of every library, ratios with quartiles; below 1 NumPy is faster."""
    others = [name for name in times if name != "numpy"]
    header = ["case", "tokens", *(f"{LIBRARIES[name]} ms" for name in times)]
    lines = [header + [f"/ {LIBRARIES[name]}" for name in others]]
    for case, (kind, n_tokens) in enumerate(CASES):
        seconds = {name: [pair[clock] for pair in rounds[case]] for name, rounds in times.items()}
        spent = [f"{median(one) * 1000:.2f}" for one in seconds.values()]
        compared = [ratio(seconds["numpy"], seconds[name]) for name in others]
        lines.append([kind, str(n_tokens), *spent, *compared])
    return lines


if __name__ == "__main__":
    main(sys.argv[1:])
