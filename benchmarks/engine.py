"""The engine's full trace against torch.nn.MultiheadAttention: time and peak memory of one call."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from textwrap import indent
from timeit import timeit

import numpy as np

from attention_core import Projections, Trace, attend
from attention_core.projections import BIASES, MATRICES

from ._children import in_turn, measure, parsed, start, table, time_rows
from ._layers import CASES

LAYERS = {
    "numpy": "NumPy",
    "products": "products alone",
    "torch": "PyTorch",
    "torch-batch-first": "PyTorch batch_first",
}
CALLS_OF_A_TINY_LAYER = 25
SIZES = "batch, tokens, width, heads"


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    print("Engine: one call of attend in float32.")
    chosen = parsed("engine", __doc__, options)
    names = list(LAYERS) if importlib.util.find_spec("torch") else ["numpy", "products"]
    print("Products alone: the matrix products of the layer in NumPy, into arrays that exist.")
    times, worst = measure("_layers", names, len(CASES), chosen)
    cases = [(", ".join(map(str, sizes)),) for sizes in CASES]
    print(table(time_rows([SIZES], cases, LAYERS, times, chosen.clock)))
    print(f"Largest difference between the results: {worst:.1e}\n")
    print("A tiny layer (8 tokens, width 12, 2 heads) beside the NumPy lines that the app shows,")
    print("in one process, the two in turn; the least of all rounds:")
    print(table(tiny_rows(chosen.rounds)))
    print("Peak memory that one call adds, MiB, in a fresh process:")
    print(table(memory_rows([name for name in names if name != "products"], chosen.threads)))


def memory_rows(names: list[str], threads: int) -> list[list[str]]:
    """The table of peak memory; below 1 MiB a ratio would compare single pages."""
    titles = [LAYERS[name] for name in names]
    rows = [[SIZES, *titles, *(f"/ {title}" for title in titles[1:])]]
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
    lines = "\n".join(trace.code(name) for name in trace.steps)
    body = f"def plain({', '.join(given)}):\n{indent(lines, '    ')}\n    return output"
    exec(body, made := {})
    return lambda: made["plain"](**given)


if __name__ == "__main__":
    main(sys.argv[1:])
