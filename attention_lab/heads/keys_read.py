"""Which keys a query reads most from, and what its shares sum to."""

from __future__ import annotations

import numpy as np

from attention_core.trace import Trace
from attention_lab.rounding import RELATIVE_ROUNDING


def row_sum(trace: Trace, head: int, query: int) -> float:
    """The sum of the shares of a query: 1 up to rounding, or 0 if it may see no key."""
    return float(trace.probabilities[0, head, query].sum())


def strongest_keys(
    trace: Trace, head: int, query: int, count: int = 3, batch: int = 0
) -> list[tuple[int, float]]:
    """The keys that a query reads most from, with their probabilities, the largest first. Keys with
    probability 0 are left out.

    >>> from attention_core import Projections, attend
    >>> found = strongest_keys(attend([[1.0], [2.0]], Projections.weightless(1)), head=0, query=0,
    ...     count=1)
    >>> [(key, round(share, 3)) for key, share in found]
    [(1, 0.731)]
    """
    row_S = trace.probabilities[batch, head, query]
    order = np.argsort(-row_S, kind="stable")[:count]
    return [(int(key), float(row_S[key])) for key in order if row_S[key] > 0]


def keys_read_most(trace: Trace, head: int, query: int, batch: int = 0) -> tuple[int, ...]:
    """The keys with the largest share of a query: several if their shares are equal up to rounding.

    >>> from attention_core import Projections, attend
    >>> keys_read_most(attend([[1.0], [1.0], [0.5]], Projections.weightless(1)), head=0, query=0)
    (0, 1)
    """
    row_S = trace.probabilities[batch, head, query]
    most = row_S >= row_S.max() * (1 - RELATIVE_ROUNDING[row_S.dtype])
    return tuple(int(key) for key in np.flatnonzero(most & (row_S > 0)))
