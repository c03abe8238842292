"""The board of a broken layer: a field as it should be, as it is, and the difference."""

from __future__ import annotations

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.code.rounding import tolerance
from attention_core.heads import head_columns, head_of
from attention_core.notation import OURS, Notation

from ..matrices import Matrix, Side, board, difference
from ..payload import JSON
from ..tiles import largest

MOST_FEATURES = 32
FIELDS = tuple(name for name in STEPS if name not in ("inputs", "memory"))


def broken(right: Trace, faulty: Trace, field: str, head: int, query: int, key: int, notation: Notation = OURS) -> JSON:
    """A field of one head in the right layer, in the broken one, and what differs; of wide ones the first columns."""
    step = STEPS[field]
    good, bad = (_numbers(trace, field, head) for trace in (right, faulty))
    limit = None if step.kind == "probability" else max(largest(good), largest(bad))
    sides = _sides(right, field)
    expected = Matrix("right", good, *sides, (0, 0), f"{step.title}, right", kind=step.kind, limit=limit)
    found = Matrix("broken", bad, *sides, (1, 0), f"{step.title}, this layer", kind=step.kind, limit=limit)
    gap = difference(found, expected, (2, 0), "this layer − right", tolerance(right, field))
    row = min(query, good.shape[0] - 1)
    column = key if step.letters[-1] == "S" else 0
    of_head = f" of head {head}" if step.per_head or "·" in step.letters[-1] else ""
    says = f"The {step.title}{of_head} in the right layer and in this one, and the difference."
    return board([expected, found, gap], (gap.name, row, column), says, notation)


def _numbers(trace: Trace, field: str, head: int) -> Array:
    """One head's matrix of a field, or its block of columns; of others the first columns."""
    step = STEPS[field]
    whole: Array = getattr(trace, field)[0]
    if step.per_head:
        matrix: Array = whole[head_of(trace, field, head)]
    else:
        matrix = whole[:, head_columns(trace, field, head)] if "·" in step.letters[-1] else whole
    return matrix if step.letters[-1] == "S" else matrix[:, :MOST_FEATURES]


def _sides(trace: Trace, field: str) -> tuple[Side, Side]:
    rows, columns = STEPS[field].letters[-2:]
    words = {"T": "query position", "S": "key position"}
    first = Side(words[rows], trace.labels(rows), rows)
    return first, Side(words[columns], trace.labels(columns), columns) if columns in words else Side("feature")
