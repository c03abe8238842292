"""The boards of the page about what the layer cannot see: two runs side by side and what
differs between them.
"""

from __future__ import annotations

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_lab.masks.shuffles import Shuffle
from attention_lab.masks.temperature import softmax_jacobian
from attention_lab.notation.notation import OURS, Notation
from attention_lab.rounding import tolerance

from ..matrices import Matrix, Side, board, difference, matrix_of, sides_of
from ..payload import JSON, largest

MOST_FEATURES = 16
# The two fields that show a change best: where it enters, and where it is gone or still to be seen.
SHOWN = {
    "row_constants": ("masked_scores", "probabilities"),
    "column_constants": ("masked_scores", "probabilities"),
    "key_bias": ("scores", "probabilities"),
    "query_bias": ("scores", "probabilities"),
    "temperature": ("masked_scores", "probabilities"),
    "query_key_basis": ("query_heads", "scores"),
    "value_basis": ("value_heads", "output"),
}
Cell = tuple[int, int, int]  # head, query, key


def shuffled(made: Shuffle, field: str, cell: Cell, notation: Notation = OURS) -> JSON:
    """Output or probabilities of a run and of the run on shuffled tokens, and how far this is
    from the first moved.
    """
    head, query, key = cell
    rows = list(made.order)
    straight, moved = (
        matrix_of(trace, field, head, MOST_FEATURES) for trace in (made.straight, made.shuffled)
    )
    expected = straight[rows][:, rows] if field == "probabilities" else straight[rows]
    limit = None if field == "probabilities" else max(largest(straight), largest(moved))
    sides = [sides_of(made.straight, field), sides_of(made.shuffled, field, focused=False)]
    kind = STEPS[field].kind
    name = STEPS[field].title
    before = Matrix(
        "before", straight, *sides[0], (0, 0), f"{name}, as written", kind=kind, limit=limit
    )
    after = Matrix(
        "after", moved, *sides[1], (1, 0), f"{name}, tokens shuffled", kind=kind, limit=limit
    )
    wanted = Matrix(
        "wanted", expected, *sides[1], None, "as written, rows moved", kind=kind, limit=limit
    )
    gap = difference(after, wanted, (2, 0), "shuffled − moved", tolerance(made.straight, field))
    says = (
        f"The {name} of the tokens as written and shuffled, and whether the second is the first"
        " with its rows moved."
    )
    column = rows.index(key) if field == "probabilities" else 0
    return board(
        [before, after, wanted, gap], (gap.name, rows.index(query), column), says, notation
    )


def changed(before: Trace, after: Trace, key: str, cell: Cell, notation: Notation = OURS) -> JSON:
    """Two fields before and after a change, and the difference."""
    head, query, column = cell
    matrices = []
    for row, field in enumerate(SHOWN[key]):
        first, second = (matrix_of(trace, field, head, MOST_FEATURES) for trace in (before, after))
        kind = STEPS[field].kind
        limit = None if kind == "probability" else max(largest(first), largest(second))
        pair = [
            Matrix(
                f"{field} {when}",
                numbers,
                *sides_of(before, field),
                (place, row),
                f"{STEPS[field].title} {when}",
                kind=kind,
                limit=limit,
            )
            for place, (when, numbers) in enumerate((("before", first), ("after", second)))
        ]
        rounding = max(tolerance(trace, field) for trace in (before, after))
        matrices += [*pair, difference(pair[1], pair[0], (2, row), "after − before", rounding)]
    last = matrices[-1]
    says = (
        f"The {' and '.join(STEPS[field].title for field in SHOWN[key])} before and after a change,"
        " and what differs."
    )
    return board(
        matrices, (last.name, query, min(column, last.numbers.shape[1] - 1)), says, notation
    )


def temperatures(
    usual: Trace, other: Trace, temperature: float, cell: Cell, notation: Notation = OURS
) -> JSON:
    """The probabilities of a head at temperature 1 and at another."""
    head, query, key = cell
    sides = sides_of(usual, "probabilities")
    matrices = [
        Matrix(
            name,
            trace.probabilities[0, head],
            *sides,
            (place, 0),
            f"probabilities at temperature {number:g}",
            kind="probability",
        )
        for place, (name, trace, number) in enumerate(
            (("usual", usual, 1), ("other", other, temperature))
        )
    ]
    says = f"The probabilities of head {head} at temperature 1 and at temperature {temperature:g}."
    return board(matrices, ("other", query, key), says, notation)


def jacobians(
    trace: Trace, shares: tuple[Array, Array], cell: Cell, notation: Notation = OURS
) -> JSON:
    """How each share of a row moves with each score: with raw and with scaled scores, on one
    colour scale up to 1/4.
    """
    keys = trace.labels("S")
    sides = (Side("share of key", keys), Side("score of key", keys, "S"))
    titles = ("from raw scores", "from scaled scores")
    matrices = [
        Matrix(
            title,
            softmax_jacobian(row),
            *sides,
            (place, 0),
            f"Jacobian {title}",
            kind="logit",
            limit=0.25,
        )
        for place, (title, row) in enumerate(zip(titles, shares, strict=True))
    ]
    says = "The Jacobian of the softmax of one row, from raw scores and from scaled ones."
    return board(matrices, (titles[1], cell[2], cell[2]), says, notation)
