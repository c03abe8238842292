"""The children of a benchmark: one process per library, asked in turn, and what is said of
their times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GET_TORCH = "python -m pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"
NO_TORCH = (
    "PyTorch is not installed in this environment, so only NumPy is measured; to compare:"
    f" {GET_TORCH}"
)

Child = subprocess.Popen[str]
Times = list[tuple[float, float]]


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


def clock_of(threads: int) -> tuple[int, str]:
    """Which of (wall, CPU) seconds counts, and why."""
    return (
        (1, "CPU time, because other jobs may run")
        if threads == 1
        else (0, "wall time, because threads wait")
    )


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
