"""The board of two layers that differ in one control: both matrices and their difference."""

from __future__ import annotations

from dataclasses import replace

from attention_core import STEPS
from attention_core.checks import Array
from attention_lab.compare import TwoSettings, differences
from attention_lab.notation.notation import OURS, Notation
from attention_lab.rounding import tolerance

from ..matrices import Matrix, Side, difference_matrix, matrix_board
from ..payload import JSON, largest_magnitude

MAX_OUTPUT_FEATURES = 24


def compare_board(
    two: TwoSettings,
    field: str,
    cell: tuple[int, int, int],
    names: tuple[str, str],
    notation: Notation = OURS,
) -> JSON:
    """The matrices of one head, or the outputs, on one scale of colours, and their difference.

    cell: head, row and column of the pinned cell. names: of the two settings. The board
    shows at most `MAX_OUTPUT_FEATURES` features of the output, among them that of the cell.
    """
    head, row, column = cell
    first, cut = 0, slice(None)
    if field == "output":
        first = column // MAX_OUTPUT_FEATURES * MAX_OUTPUT_FEATURES
        cut = slice(first, first + MAX_OUTPUT_FEATURES)
    numbers = [matrix[:, cut] for matrix in two.matrices(field, head)]
    before, after = _pair(two, field, head, numbers, names, first)
    rounding = max(tolerance(trace, field) for trace in (two.before, two.after))
    gap = difference_matrix(after, before, (2, 0), "second − first", rounding)
    gap = replace(gap, numbers=differences(*numbers))
    description = (
        f"The {STEPS[field].title} with “{names[0]}”, with “{names[1]}”, and the difference."
    )
    return matrix_board(
        [before, after, gap], (gap.name, row, column - first), description, notation
    )


def _pair(
    two: TwoSettings,
    field: str,
    head: int,
    numbers: list[Array],
    names: tuple[str, str],
    first: int,
) -> list[Matrix]:
    """Both matrices on one scale of colours. first: the first column shown."""
    kind, columns, role = STEPS[field].kind, Side("key position", two.tokens, "S"), "text"
    if field == "output":
        places = range(first, first + numbers[0].shape[1])
        columns, role = Side("output feature", tuple(map(str, places))), "output"
    limit: float | None = max(map(largest_magnitude, numbers))
    hidden: tuple[Array | None, Array | None] = (None, None)
    if kind == "probability":
        limit, hidden = (
            None,
            (two.before.hidden[0, head], two.after.hidden[0, two.head_beside(head)]),
        )
    return [
        Matrix(
            f"setting {place}",
            matrix,
            Side("query position", two.tokens, "T"),
            columns,
            (place, 0),
            name,
            kind=kind,
            limit=limit,
            role=role,
            hidden=hides,
            says=f"The {STEPS[field].title} with “{name}”:",
        )
        for place, (matrix, name, hides) in enumerate(zip(numbers, names, hidden, strict=True))
    ]
