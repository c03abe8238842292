"""Which heads are most alike, and how far a change of the layer moves its heads and its output."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array, as_numbers, check_alike, check_range
from attention_core.errors import ShapeError
from attention_core.trace import Trace

from .measure_checks import as_measured, binary_size, unit_sized
from .patterns import pattern_of
from .similarity import MOST, jensen_shannon


def most_alike(similarity_HH: Array) -> tuple[int, int] | None:
    """The two different heads with the largest similarity, the lower number first; None where no
    pair has one.

    >>> most_alike(np.array([[1.0, 0.2, 0.7], [0.2, 1.0, np.nan], [0.7, np.nan, 1.0]]))
    (0, 2)
    """
    similarity_HH = as_measured("similarity", similarity_HH, 2)
    if similarity_HH.ndim != 2 or similarity_HH.shape[0] != similarity_HH.shape[1]:
        raise ShapeError(
            f"similarity has shape {similarity_HH.shape} but must have a row and a column for each"
            " head"
        )
    pairs_HH = np.where(np.triu(np.ones(similarity_HH.shape, dtype=bool), 1), similarity_HH, np.nan)
    if np.isnan(pairs_HH).all():
        return None
    one, other = divmod(int(np.nanargmax(pairs_HH)), len(pairs_HH))
    return one, other


def heads_apart(before: Trace, after: Trace) -> float:
    """How far the heads of a layer differ from the same heads after a change: mean Jensen-Shannon
    divergence / ln 2.

    Units or range: 0 (equal) to 1 (nothing in common). Queries with nothing to attend to count as
    equal.
    """
    check_alike("before", before.probabilities, "after", after.probabilities)
    apart_BHT = jensen_shannon(pattern_of(before).probabilities, pattern_of(after).probabilities)
    return float(apart_BHT.mean()) / MOST


def relative_change(before: Array, after: Array) -> float:
    """How far numbers moved, as a part of their length: |after - before| / |before|; 0 where there
    was nothing.

    Raises: ShapeError, SettingsError for a change beyond the range of float.

    >>> relative_change(np.array([3.0, 4.0]), np.array([3.0, 3.0]))
    0.2
    """
    before, after = as_numbers("before", before), as_numbers("after", after)
    check_alike("before", before, "after", after)
    both = np.stack([after, before])
    moved = np.subtract(*unit_sized("after and before", both))
    change = np.linalg.norm(moved) / (np.linalg.norm(unit_sized("before", before)) or np.inf)
    with np.errstate(over="ignore"):
        # Each by a power of 2 of its own: divided by that of very large numbers, very small ones
        # would become nothing.
        change = np.ldexp(float(change), binary_size(both).item() - binary_size(before).item())
    check_range(change)
    return float(change)
