"""The boards of changed and of broken layers beside the right one."""

from __future__ import annotations

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.trace import USUAL_STEPS
from attention_lab.masks.shuffles import Shuffle
from attention_lab.masks.temperature import softmax_jacobian
from attention_lab.notation.notation import OURS, Notation
from attention_lab.rounding import tolerance

from ..matrices import Matrix, Side, difference_matrix, field_sides, head_matrix, matrix_board
from ..payload import JSON, largest_magnitude

MAX_INVARIANCE_FEATURES = 16
# The two fields that show a change best: where it enters, and where it is gone or still shows.
FIELDS_OF_CHANGE = {
    "row_constants": ("masked_scores", "probabilities"),
    "column_constants": ("masked_scores", "probabilities"),
    "key_bias": ("scores", "probabilities"),
    "query_bias": ("scores", "probabilities"),
    "temperature": ("masked_scores", "probabilities"),
    "query_key_basis": ("query_heads", "scores"),
    "value_basis": ("value_heads", "output"),
}
Cell = tuple[int, int, int]  # head, query, key


def shuffle_board(shuffle: Shuffle, field: str, cell: Cell, notation: Notation = OURS) -> JSON:
    """Output or probabilities of a run and of the run on shuffled tokens, and the difference
    between the second and the shuffled first.
    """
    head, query, key = cell
    rows = list(shuffle.order)
    straight, moved = (
        head_matrix(trace, field, head, MAX_INVARIANCE_FEATURES)
        for trace in (shuffle.straight, shuffle.shuffled)
    )
    expected, column, limit = straight[rows], 0, _limit(field, straight, moved)
    if field == "probabilities":
        expected, column = expected[:, rows], rows.index(key)
    sides = [
        field_sides(shuffle.straight, field),
        field_sides(shuffle.shuffled, field, focused=False),
    ]
    kind = STEPS[field].kind
    name = STEPS[field].title
    before = Matrix(
        "before", straight, *sides[0], (0, 0), f"{name}, as written", kind=kind, limit=limit
    )
    after = Matrix(
        "after", moved, *sides[1], (1, 0), f"{name}, tokens shuffled", kind=kind, limit=limit
    )
    wanted = Matrix(
        "wanted", expected, *sides[1], None, "as written, new order", kind=kind, limit=limit
    )
    gap = difference_matrix(
        after, wanted, (2, 0), "difference in the new order", tolerance(shuffle.straight, field)
    )
    description = (
        f"The {name} of the tokens as written and shuffled, and the difference in the new order."
    )
    return matrix_board(
        [before, after, wanted, gap], (gap.name, rows.index(query), column), description, notation
    )


def _limit(field: str, first: Array, second: Array) -> float | None:
    """The value of the strongest colour of both matrices; shares have a fixed one."""
    if STEPS[field].kind == "probability":
        return None
    return max(largest_magnitude(first), largest_magnitude(second))


def change_board(
    before: Trace, after: Trace, key: str, cell: Cell, notation: Notation = OURS
) -> JSON:
    """Two fields before and after a change, and the difference."""
    head, query, column = cell
    matrices = []
    for row, field in enumerate(FIELDS_OF_CHANGE[key]):
        first, second = (
            head_matrix(trace, field, head, MAX_INVARIANCE_FEATURES) for trace in (before, after)
        )
        kind = STEPS[field].kind
        limit = _limit(field, first, second)
        pair = [
            Matrix(
                f"{field} {when}",
                numbers,
                *field_sides(before, field),
                (place, row),
                f"{STEPS[field].title} {when}",
                kind=kind,
                limit=limit,
                says=f"The number {when} the change is",
            )
            for place, (when, numbers) in enumerate((("before", first), ("after", second)))
        ]
        rounding = max(tolerance(trace, field) for trace in (before, after))
        matrices += [
            *pair,
            difference_matrix(pair[1], pair[0], (2, row), "after − before", rounding),
        ]
    last = matrices[-1]
    description = (
        f"The {' and '.join(STEPS[field].title for field in FIELDS_OF_CHANGE[key])} before and"
        " after a change, and the difference."
    )
    return matrix_board(
        matrices, (last.name, query, min(column, last.numbers.shape[1] - 1)), description, notation
    )


def temperature_board(
    usual: Trace, other: Trace, temperature: float, cell: Cell, notation: Notation = OURS
) -> JSON:
    """The probabilities of a head at temperature 1 and at another."""
    head, query, key = cell
    sides = field_sides(usual, "probabilities")
    matrices = [
        Matrix(
            name,
            trace.probabilities[0, head],
            *sides,
            (place, 0),
            f"probabilities at temperature {number:g}",
            kind="probability",
            says=f"The share at temperature {number:g} is",
        )
        for place, (name, trace, number) in enumerate(
            (("usual", usual, 1), ("other", other, temperature))
        )
    ]
    description = (
        f"The probabilities of head {head} at temperature 1 and at temperature {temperature:g}."
    )
    return matrix_board(matrices, ("other", query, key), description, notation)


def jacobian_board(
    trace: Trace, shares: tuple[Array, Array], cell: Cell, notation: Notation = OURS
) -> JSON:
    """The derivatives of the shares of one query by its scores, for raw and scaled scores, on one
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
            says="The derivative of this share by this score is",
        )
        for place, (title, row) in enumerate(zip(titles, shares, strict=True))
    ]
    description = (
        "The Jacobian of the softmax of one query, from raw scores and from scaled scores."
    )
    return matrix_board(matrices, (titles[1], cell[2], cell[2]), description, notation)


def shares_board(
    trace: Trace, shares: Array, title: str, cell: Cell, notation: Notation = OURS
) -> JSON:
    """The shares of one head in the layer, those of another method, and the difference."""
    head, query, key = cell
    sides, hidden = field_sides(trace, "probabilities"), trace.hidden[0, head]
    usual, other = (
        Matrix(
            name,
            numbers,
            *sides,
            (place, 0),
            name,
            kind="probability",
            hidden=hidden,
            says=f"The share by {name} is",
        )
        for place, (name, numbers) in enumerate(
            (("the layer", trace.probabilities[0, head]), (title, shares))
        )
    )
    gap = difference_matrix(other, usual, (2, 0), f"{title} − the layer")
    description = f"The shares of head {head} in the layer, by {title}, and the difference."
    return matrix_board([usual, other, gap], (other.name, query, key), description, notation)


MAX_MISTAKE_COLUMNS = 32
COMPUTED_FIELDS = tuple(name for name in USUAL_STEPS if name not in ("inputs", "memory"))


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
