"""The engine's full trace against torch.nn.MultiheadAttention: time and peak memory of one call.

One process per layer, each with the same number of threads, is asked in turn, round by round, so
that whatever else the machine does meets all of them; a ratio is the median of the ratios of the
rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from statistics import median
from textwrap import indent
from timeit import timeit

import numpy as np

from attention_core import STEPS, Projections, Trace, attend
from attention_core.projections import BIASES, MATRICES

from ._children import NO_TORCH, Times, ask, clock_of, in_turn, ratio, start, table
from ._layers import CASES

LAYERS = {
    "numpy": "NumPy",
    "products": "products alone",
    "torch": "PyTorch",
    "torch-batch-first": "PyTorch batch_first",
}
# One round lasts at least so long, or is one call.
ROUND_SECONDS = 0.05
CALLS_OF_A_TINY_LAYER = 25


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks engine", description=__doc__)
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (1)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds per size (25)")
    chosen = parser.parse_args(list(options))
    names = list(LAYERS) if importlib.util.find_spec("torch") else ["numpy", "products"]
    clock, why = clock_of(chosen.threads)
    print(
        f"Engine: one call of attend, float32, {chosen.threads} thread(s), {chosen.rounds} rounds."
        f" Clock: {why}."
    )
    print("Products alone: the matrix products of the layer in NumPy, into arrays that exist.")
    print(
        "Columns with / are ratios NumPy / PyTorch, below 1 is faster; in brackets their quartiles"
        " over the rounds."
    )
    if len(names) == 2:
        print(NO_TORCH)
    times, worst = measure(names, chosen.threads, chosen.rounds)
    print(table(time_rows(times, clock)))
    if len(names) > 2:
        print(f"Largest difference between the results: {worst:.1e}\n")
    print("A tiny layer (8 tokens, width 12, 2 heads) beside the NumPy lines that the app shows,")
    print("in one process, the two in turn; the least of all rounds:")
    print(table(tiny_rows(chosen.rounds)))
    print("Peak memory that one call adds, MiB, in a fresh process:")
    print(table(memory_rows([name for name in names if name != "products"], chosen.threads)))


def measure(names: list[str], threads: int, rounds: int) -> tuple[dict[str, list[Times]], float]:
    """Seconds (wall, CPU) per layer, size and round, and the largest difference between the
    results.
    """
    children = {name: start("_layers", name, threads) for name in names}
    times: dict[str, list[Times]] = {name: [] for name in names}
    worst = 0.0
    for case in range(len(CASES)):
        worst = max([worst, *(ask(children[name], case, 0) for name in names[2:])])
        once = max(ask(child, case, 2)[0] for child in children.values())
        calls = max(1, round(ROUND_SECONDS / once))
        for name in names:
            times[name].append([])
        for number in range(rounds):
            for name in in_turn(names, number):
                times[name][case].append(tuple(ask(children[name], case, calls)))
    for child in children.values():
        child.communicate()
    return times, worst


def time_rows(times: dict[str, list[Times]], clock: int) -> list[list[str]]:
    """The table of times: milliseconds of every layer, ratios to each PyTorch layer, with
    quartiles.
    """
    others = [name for name in times if name != "numpy"]
    header = ["batch, tokens, width, heads", *(f"{LAYERS[name]} ms" for name in times)]
    rows = [header + [f"/ {LAYERS[name]}" for name in others]]
    for case, sizes in enumerate(CASES):
        seconds = {name: [pair[clock] for pair in rounds[case]] for name, rounds in times.items()}
        row = [", ".join(map(str, sizes)), *(f"{median(s) * 1000:.3f}" for s in seconds.values())]
        for name in others:
            row.append(ratio(seconds["numpy"], seconds[name]))
        rows.append(row)
    return rows


def memory_rows(names: list[str], threads: int) -> list[list[str]]:
    """The table of peak memory; below 1 MiB a ratio would compare single pages."""
    others = names[1:]
    rows = [
        [
            "batch, tokens, width, heads",
            *(LAYERS[name] for name in names),
            *(f"/ {LAYERS[name]}" for name in others),
        ]
    ]
    for case, sizes in enumerate(CASES):
        peaks = [
            json.loads(start("_layers", name, threads, str(case)).communicate()[0])
            for name in names
        ]
        row = [
            ", ".join(map(str, sizes)),
            *("-" if peak is None else f"{peak:.1f}" for peak in peaks),
        ]
        row += ["-" if peak is None or peak < 1 else f"{peaks[0] / peak:.2f}" for peak in peaks[1:]]
        rows.append(row)
    return rows


def tiny_rows(rounds: int) -> list[list[str]]:
    """The table of a tiny layer: `attend` with checks and record, the plain lines, the ratio."""
    rows = [["numbers", "attend µs", "NumPy lines µs", "ratio"]]
    for dtype in (np.float32, np.float64):
        p = Projections.random(12, 2, bias=True).astype(dtype)
        x = np.random.default_rng(0).standard_normal((1, 8, 12)).astype(dtype)
        calls = {"attend": lambda x=x, p=p: attend(x, p), "lines": plain_lines(attend(x, p))}
        times: dict[str, list[float]] = {name: [] for name in calls}
        for number in range(40 * rounds):
            for name in in_turn(list(calls), number):
                times[name].append(timeit(calls[name], number=CALLS_OF_A_TINY_LAYER))
        ours, plain = (1e6 * min(seconds) / CALLS_OF_A_TINY_LAYER for seconds in times.values())
        rows.append([np.dtype(dtype).name, f"{ours:.1f}", f"{plain:.1f}", f"{ours / plain:.2f}"])
    return rows


def plain_lines(trace: Trace) -> Callable[[], object]:
    """The NumPy lines of all steps as one function, which gets what a layer is given."""
    given = {"np": np, "x": trace.inputs, "scale": trace.scale, **trace.sizes}
    given |= {name: getattr(trace.projections, name) for name in MATRICES + BIASES}
    lines = "\n".join(trace.code(name) for name in STEPS)
    body = f"def plain({', '.join(given)}):\n{indent(lines, '    ')}\n    return output"
    exec(body, made := {})
    return lambda: made["plain"](**given)


if __name__ == "__main__":
    main(sys.argv[1:])
