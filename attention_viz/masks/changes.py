"""The board of a layer as it is, the layer with one thing changed, and their difference."""

from dataclasses import replace
from functools import partial

from attention_core import STEPS, Trace
from attention_lab.compare import TwoLayers, differences, head_part
from attention_lab.focus import Focus
from attention_lab.notation.notation import OURS, Notation

from ..matrices import Matrix, Side, difference_matrix, matrix_board
from ..payload import JSON, largest_magnitude

MAX_FEATURES = 24


def change_board(two: TwoLayers, field: str, focus: Focus, notation: Notation = OURS) -> JSON:
    """The matrices of one head on one scale of colours, and their difference. If the tokens are in
    another order, it is that from the first result in the new order.

    At most `MAX_FEATURES` features are shown, among them that of the focus.
    """
    step, head = STEPS[field], focus.head
    of_keys, cut, column = step.letters[-1] == "S", slice(None), focus.key
    if not of_keys:
        n_features = two.matrices(field, head)[1].shape[1]
        place = min(focus.feature, n_features - 1)
        column, cut = place % MAX_FEATURES, features_shown(place, n_features)
    row = {"T": focus.query, "S": focus.key}[step.letters[-2]]
    if two.order:
        row = two.order.index(row)
        column = two.order.index(column) if of_keys else column
    matrices = _matrices(two, field, head, cut)
    of_head = f" of head {head}" if step.per_head or "·" in step.letters[-1] else ""
    description = f"The {step.title}{of_head} as it is, after the change, and the difference."
    return matrix_board(matrices, (matrices[-1].name, row, column), description, notation)


def _matrices(two: TwoLayers, field: str, head: int, cut: slice) -> list[Matrix]:
    """The matrices of the board, the difference last. cut: the features that are shown."""
    step, is_shares = STEPS[field], STEPS[field].kind == "probability"
    given = head_part(two.before, field, head)[:, cut]
    expected, after = (one[:, cut] for one in two.matrices(field, head))
    limit = None if is_shares else max(map(largest_magnitude, (given, after)))
    matrix = partial(Matrix, kind=step.kind, limit=limit)
    first_labels = two.before.labels("T") if two.order else two.tokens
    sides = _sides(two.after, field, two.tokens, cut, moves=not two.order)
    given_sides, title = _sides(two.before, field, first_labels, cut), f"{step.title}, as it is"
    hidden = two.before.hidden[0, head] if is_shares else None
    says = f"The {step.title} as it is:"
    before = matrix("before", given, *given_sides, (0, 0), title, hidden=hidden, says=says)
    hidden = two.after.hidden[0, two.head_beside(head)] if is_shares else None
    title, says = f"{step.title}, changed", f"The {step.title} after the change:"
    changed = matrix("after", after, *sides, (1, 0), title, hidden=hidden, says=says)
    drawn, title = [before, changed], "changed − as it is"
    if two.order:
        title = "difference in the new order"
        drawn.append(matrix("wanted", expected, *sides, None, "as it is, in the new order"))
    wanted = drawn[-1] if two.order else before
    gap = difference_matrix(changed, wanted, (2, 0), title, two.rounding(field))
    return [*drawn, replace(gap, numbers=differences(expected, after))]


def features_shown(place: int, n_features: int) -> slice:
    """The columns of features that are shown: those around the one in focus.

    >>> features_shown(30, 32)
    slice(24, 32, None)
    """
    first = place // MAX_FEATURES * MAX_FEATURES
    return slice(first, min(first + MAX_FEATURES, n_features))


def _sides(
    trace: Trace, field: str, tokens: tuple[str, ...], cut: slice, moves: bool = True
) -> tuple[Side, Side]:
    """The sides of a field's matrix. moves: whether a click on a token moves the focus to it."""
    known = {
        "T": Side("query position", tokens, "T" * moves),
        "S": Side("key position", tokens, "S" * moves),
    }
    rows, columns = STEPS[field].letters[-2:]
    if columns in known:
        return known[rows], known[columns]
    return known[rows], Side("feature", tuple(map(str, range(cut.start, cut.stop))))
