"""The board of a broken layer: a field of the right layer, of this one, and the difference."""

from __future__ import annotations

from attention_core import STEPS, Trace
from attention_lab.notation.notation import OURS, Notation
from attention_lab.rounding import tolerance

from ..matrices import Matrix, difference_matrix, field_sides, head_matrix, matrix_board
from ..payload import JSON, largest_magnitude

MAX_MISTAKE_COLUMNS = 32
COMPUTED_FIELDS = tuple(name for name in STEPS if name not in ("inputs", "memory"))


def mistake_board(
    right: Trace,
    faulty: Trace,
    field: str,
    head: int,
    query: int,
    key: int,
    notation: Notation = OURS,
) -> JSON:
    """A field of one head in the right layer and in the broken one, and the difference; at most
    the first 32 columns.
    """
    step = STEPS[field]
    good, bad = (head_matrix(trace, field, head, MAX_MISTAKE_COLUMNS) for trace in (right, faulty))
    limit = (
        max(largest_magnitude(good), largest_magnitude(bad)) if step.kind != "probability" else None
    )
    sides = field_sides(right, field)
    expected = Matrix(
        "right", good, *sides, (0, 0), f"{step.title}, right", kind=step.kind, limit=limit
    )
    found = Matrix(
        "broken", bad, *sides, (1, 0), f"{step.title}, this layer", kind=step.kind, limit=limit
    )
    gap = difference_matrix(found, expected, (2, 0), "this layer − right", tolerance(right, field))
    row, column, of_head = min(query, good.shape[0] - 1), 0, ""
    if step.letters[-1] == "S":
        column = key
    if step.per_head or "·" in step.letters[-1]:
        of_head = f" of head {head}"
    description = (
        f"The {step.title}{of_head} in the right layer and in this one, and the difference."
    )
    return matrix_board([expected, found, gap], (gap.name, row, column), description, notation)
