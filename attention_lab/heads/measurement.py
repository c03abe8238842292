"""How long a way of computing scores takes on this machine, and how much memory."""

from __future__ import annotations

import threading
import time
import tracemalloc
from dataclasses import dataclass

from attention_core.checks import Array, whole_number

from .score_schemes import Scheme

# Memory is traced for the whole process, so two measurements at once would count each other's
# arrays.
ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Measurement:
    """seconds: the fastest of some runs. peak_bytes: the most memory held at once, the result
    included.
    """

    seconds: float
    peak_bytes: int


def measure(scheme: Scheme, query_HTK: Array, key_HSK: Array, repeats: int = 3) -> Measurement:
    """Run a scheme a few times for its time, then once more for its memory, which slows it down.

    Raises: ShapeError, SettingsError.
    """
    seconds = []
    with ONE_AT_A_TIME:
        for _ in range(whole_number("repeats", repeats, 1, 1000)):
            start = time.perf_counter()
            scheme.scores(query_HTK, key_HSK)
            seconds.append(time.perf_counter() - start)
        return Measurement(min(seconds), _peak_bytes(scheme, query_HTK, key_HSK))


def _peak_bytes(scheme: Scheme, query_HTK: Array, key_HSK: Array) -> int:
    traced_already = tracemalloc.is_tracing()
    if not traced_already:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        scheme.scores(query_HTK, key_HSK)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not traced_already:
            tracemalloc.stop()
