"""The engine's full trace against torch.nn.MultiheadAttention: time and peak memory of one call."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ._children import child, measure, parsed, table, time_rows
from ._layers import CASES, layer, peak

LAYERS = {
    "numpy": "NumPy",
    "products": "products alone",
    "torch": "PyTorch",
    "torch-batch-first": "PyTorch batch_first",
}
SIZES = "batch, tokens, width, heads"


def main(options: Sequence[str] = ()) -> None:
    """Measure and print."""
    print("Engine: one call of attend in float32.")
    chosen = parsed("engine", __doc__, options)
    names = list(LAYERS) if chosen.torch else ["numpy", "products"]
    print("Products alone: the matrix products of the layer in NumPy, into arrays that exist.")
    times, worst = measure(layer, names, CASES, chosen, unlike="products")
    cases = [(", ".join(map(str, sizes)),) for sizes in CASES]
    print(table(time_rows([SIZES], cases, LAYERS, times, chosen.clock)))
    print(f"Largest difference between the results: {worst:.1e}\n")
    print("Peak memory that one call adds, MiB, in a fresh process:")
    print(table(memory_rows([name for name in names if name != "products"], chosen.threads)))


def memory_rows(names: list[str], threads: int) -> list[list[str]]:
    """The table of peak memory; below 1 MiB a ratio would compare single pages."""
    titles = [LAYERS[name] for name in names]
    rows = [[SIZES, *titles, *(f"/ {title}" for title in titles[1:])]]
    for sizes in CASES:
        peaks = []
        for name in names:
            with child(threads) as fresh:
                peaks.append(fresh.submit(peak, name, sizes, threads).result())
        used = ["-" if one is None else f"{one:.1f}" for one in peaks]
        ratios = ["-" if one is None or one < 1 else f"{peaks[0] / one:.2f}" for one in peaks[1:]]
        rows.append([", ".join(map(str, sizes)), *used, *ratios])
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
