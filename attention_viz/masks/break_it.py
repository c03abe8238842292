"""The board of a broken layer: a field as it should be, as it is, and the difference."""

from __future__ import annotations

from attention_core import STEPS, Trace
from attention_lab.notation.notation import OURS, Notation
from attention_lab.rounding import tolerance

from ..matrices import Matrix, board, difference, matrix_of, sides_of
from ..payload import JSON, largest

MOST_FEATURES = 32
FIELDS = tuple(name for name in STEPS if name not in ("inputs", "memory"))


def broken(
    right: Trace,
    faulty: Trace,
    field: str,
    head: int,
    query: int,
    key: int,
    notation: Notation = OURS,
) -> JSON:
    """A field of one head in the right layer, in the broken one, and what differs; of wide ones
    the first columns.
    """
    step = STEPS[field]
    good, bad = (matrix_of(trace, field, head, MOST_FEATURES) for trace in (right, faulty))
    limit = None if step.kind == "probability" else max(largest(good), largest(bad))
    sides = sides_of(right, field)
    expected = Matrix(
        "right", good, *sides, (0, 0), f"{step.title}, right", kind=step.kind, limit=limit
    )
    found = Matrix(
        "broken", bad, *sides, (1, 0), f"{step.title}, this layer", kind=step.kind, limit=limit
    )
    gap = difference(found, expected, (2, 0), "this layer − right", tolerance(right, field))
    row = min(query, good.shape[0] - 1)
    column = key if step.letters[-1] == "S" else 0
    of_head = f" of head {head}" if step.per_head or "·" in step.letters[-1] else ""
    says = f"The {step.title}{of_head} in the right layer and in this one, and the difference."
    return board([expected, found, gap], (gap.name, row, column), says, notation)
