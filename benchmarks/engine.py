"""The engine's full trace against torch.nn.MultiheadAttention: time and peak memory of one call."""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attention_core import Projections, attend, split_heads

from ._children import MIB, child, measure, parsed, status, table, time_rows

LAYERS = {
    "numpy": "NumPy",
    "products": "products alone",
    "torch": "PyTorch",
    "torch-batch-first": "PyTorch batch_first",
}
SIZES = "batch, tokens, width, heads"
CASES = (
    (1, 8, 12, 2),
    (1, 16, 64, 8),
    (1, 64, 256, 8),
    (1, 128, 512, 8),
    (1, 512, 512, 8),
    (1, 1024, 768, 12),
    (8, 128, 512, 8),
)
TINY = (1, 2, 4, 2)
Call = Callable[[], Any]  # gives the output


@cache
def layer(name: str, case: tuple[int, int, int, int], threads: int) -> Call:
    """The call to measure: the same numbers through the same weights, whatever the library."""
    batch, tokens, width, heads = case
    x = np.random.default_rng(1).standard_normal((batch, tokens, width)).astype(np.float32)
    p = Projections.random(width, heads, bias=True).astype(np.float32)
    if name == "products":
        return products(x, p)
    if name == "numpy":  # checks on, every intermediate kept
        return lambda: attend(x, p).output
    return torch_layer(x, p, name == "torch-batch-first", threads)


def products(x: np.ndarray, p: Projections) -> Call:
    """Only the six matrix products of the layer, written into arrays that exist: what NumPy
    cannot go below.
    """
    trace = attend(x, p)
    merged, output = np.empty_like(trace.merged), np.empty_like(trace.output)
    projected, scores = np.empty_like(trace.queries), np.empty_like(trace.scores)
    rows = x.reshape(-1, x.shape[2])

    def call() -> Any:
        for matrix in (p.w_q, p.w_k, p.w_v):
            np.dot(rows, matrix, out=projected.reshape(rows.shape))
        np.matmul(trace.query_heads, trace.key_heads.swapaxes(-1, -2), out=scores)
        np.matmul(trace.probabilities, trace.value_heads, out=split_heads(merged, p.n_heads))
        np.dot(merged.reshape(rows.shape), p.w_o, out=output.reshape(rows.shape))
        return output

    return call


def torch_layer(x: np.ndarray, p: Projections, batch_first: bool, threads: int) -> Call:
    """torch.nn.MultiheadAttention with the weights of p, in inference mode, giving one map of
    weights per head.
    """
    import torch

    torch.set_num_threads(threads)
    module = torch.nn.MultiheadAttention(x.shape[2], p.n_heads, batch_first=batch_first).eval()
    weights = {
        "in_proj_weight": np.hstack([p.w_q, p.w_k, p.w_v]).T,
        "in_proj_bias": np.hstack([p.b_q, p.b_k, p.b_v]),
        "out_proj.weight": p.w_o.T,
        "out_proj.bias": p.b_o,
    }
    module.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    sequence = torch.tensor(x if batch_first else x.swapaxes(0, 1).copy())

    def call() -> Any:
        with torch.inference_mode():
            output, _ = module(
                sequence, sequence, sequence, need_weights=True, average_attn_weights=False
            )
        return output if batch_first else output.swapaxes(0, 1)

    return call


def peak(name: str, case: tuple[int, int, int, int], threads: int) -> float | None:
    """MiB that one call adds to the memory of this process at its peak; None without Linux's
    counters and glibc.
    """
    if not Path("/proc/self/clear_refs").exists() or not hasattr(ctypes.CDLL(None), "malloc_trim"):
        return None
    layer(name, TINY, threads)()
    call = layer(name, case, threads)
    # Memory that making the weights left behind would be used again, uncounted.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets the peak so far
    before = status("VmRSS")
    call()
    return (status("VmHWM") - before) / MIB


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
