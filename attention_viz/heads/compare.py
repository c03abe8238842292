"""The board of two layers that differ in one control: both matrices, and their difference."""

from __future__ import annotations

from dataclasses import replace

from attention_core import STEPS
from attention_core.checks import Array
from attention_lab.compare import TwoSettings, differences
from attention_lab.notation.notation import OURS, Notation
from attention_lab.rounding import tolerance

from ..matrices import Matrix, Side, board, difference
from ..payload import JSON
from ..tiles import largest

MOST_FEATURES = 24


def two_settings(
    two: TwoSettings,
    field: str,
    cell: tuple[int, int, int],
    names: tuple[str, str],
    notation: Notation = OURS,
) -> JSON:
    """One head's matrices, or the outputs, on one scale of colours, and how far the second moved.

    cell: head, row and column of the pinned cell. names: of the two settings. Of an output so many
    features are shown as `MOST_FEATURES`, the cell's among them.
    """
    head, row, column = cell
    first = column // MOST_FEATURES * MOST_FEATURES if field == "output" else 0
    cut = slice(first, first + MOST_FEATURES if field == "output" else None)
    numbers = [matrix[:, cut] for matrix in two.matrices(field, head)]
    before, after = _pair(two, field, head, numbers, names, first)
    rounding = max(tolerance(trace, field) for trace in (two.before, two.after))
    gap = difference(after, before, (2, 0), "second − first", rounding)
    gap = replace(gap, numbers=differences(*numbers))
    says = f"The {STEPS[field].title} with “{names[0]}” and with “{names[1]}”, and the difference."
    return board([before, after, gap], (gap.name, row, column - first), says, notation)


def _pair(
    two: TwoSettings,
    field: str,
    head: int,
    numbers: list[Array],
    names: tuple[str, str],
    first: int,
) -> list[Matrix]:
    """Both matrices on one scale of colours; first: the first column that is shown."""
    kind, columns = STEPS[field].kind, Side("key position", two.tokens, "S")
    if field == "output":
        places = range(first, first + numbers[0].shape[1])
        columns = Side("output feature", tuple(map(str, places)))
    hidden = (two.before.hidden[0, head], two.after.hidden[0, two.head_beside(head)])
    return [
        Matrix(
            f"setting {place}",
            matrix,
            Side("query position", two.tokens, "T"),
            columns,
            (place, 0),
            name,
            kind=kind,
            limit=None if kind == "probability" else max(map(largest, numbers)),
            role="output" if field == "output" else "text",
            hidden=hides if kind == "probability" else None,
            says=f"The {STEPS[field].title} with “{name}”:",
        )
        for place, (matrix, name, hides) in enumerate(zip(numbers, names, hidden, strict=True))
    ]
