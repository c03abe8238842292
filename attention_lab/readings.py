"""What the words of a sentence ask for and read: the facts of the sentence with arcs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .column_names import ColumnNames
from .heads.keys_read import keys_read_most, strongest_keys
from .heads.similarity import jensen_shannon

LEAST_SHARE = 0.01  # smaller shares have no arc
MOST_SHARES = 24  # of one query


def opposite_head(trace: Trace, head: int) -> int | None:
    """The head whose rows differ most from those of another head: the largest mean Jensen-Shannon
    divergence; None in a layer with one head.

    >>> from attention_lab.scenario import Scenario, trace_of
    >>> opposite_head(trace_of(Scenario("we saw it", weights="by hand", d_model=8, n_heads=2)), 0)
    1
    """
    shares_HTS = trace.probabilities[0]
    others = [other for other in range(len(shares_HTS)) if other != head]
    apart = [float(jensen_shannon(shares_HTS[head], shares_HTS[one]).mean()) for one in others]
    return others[int(np.argmax(apart))] if others else None


def shares_read(trace: Trace, head: int, query: int) -> list[tuple[int, float]]:
    """The keys that a query reads with a share that is worth an arc, the largest first."""
    found = strongest_keys(trace, head, query, MOST_SHARES)
    return [(key, share) for key, share in found if share >= LEAST_SHARE]


def asked_names(trace: Trace, names: ColumnNames, head: int, query: int) -> tuple[str, ...]:
    """The names of the columns in which a query asks for something: those with a positive number.

    >>> from attention_lab.column_names import HANDMADE_NAMES
    >>> from attention_lab.scenario import Scenario, trace_of
    >>> trace = trace_of(Scenario("the cat and it", weights="by hand", d_model=8, n_heads=2))
    >>> len(asked_names(trace, HANDMADE_NAMES, 0, 3)), asked_names(trace, HANDMADE_NAMES, 0, 0)
    (2, ())
    """
    return _named(names.queries[head], trace.query_heads[0, head, query])


def answered_names(
    trace: Trace, names: ColumnNames, head: int, query: int, key: int
) -> tuple[str, ...]:
    """The names of the columns with which a key answers a query: those where both have a positive
    number.
    """
    group = head * trace.sizes["G"] // trace.sizes["H"]
    answer_K = np.minimum(trace.query_heads[0, head, query], trace.key_heads[0, group, key])
    return _named(names.keys[group], answer_K)


def _named(names: Sequence[str], numbers_K: Array) -> tuple[str, ...]:
    """The names of the columns with a positive number."""
    return tuple(name for name, number in zip(names, numbers_K, strict=True) if number > 0)


def key_read_most(trace: Trace, head: int, query: int) -> int | None:
    """The key with the largest share of a query; None if several share the first place."""
    most = keys_read_most(trace, head, query)
    return most[0] if len(most) == 1 else None
