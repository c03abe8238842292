"""A board of matrices that are not steps of one trace: those of several runs, and differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.rules import RUNNING, Position, Rule, axis, read
from attention_lab.notation.notation import OURS, Notation

from .payload import JSON, board_json, largest_magnitude, panel_json, rule_json, sent_numbers
from .pieces import label_of, named

MAX_RELATIVE_ROUNDING = 1e-9  # smaller differences, relative to what is compared, are drawn as none


@dataclass(frozen=True)
class Side:
    """One side of a matrix: a word for its places, and their labels; without labels they are
    numbered.

    letter: the axis of the trace along which a click moves the focus; "" if there is none. most:
    how many places are shown at a time; 0 for as many as have room.
    """

    word: str
    labels: tuple[str, ...] | None = None
    letter: str = ""
    most: int = 0


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix of the board and its place, None for a matrix that is not drawn but read by others.

    Shapes: numbers (rows, columns); minus infinity is a hidden cell, NaN one that stays
    empty. kind: feature, logit or probability. limit: the value of the strongest colour; None for
    the largest of its own numbers, or 1 for probabilities. rule: how a cell is computed from other
    matrices of the board. hidden: cells that are 0 because their key is hidden; changed: cells to
    outline; pale: cells of an earlier step. absent: what is said of an empty cell. says: the words
    before a number without a rule. only_row: the row that is sent and drawn; None for all.
    """

    name: str
    numbers: Array
    rows: Side
    columns: Side
    place: tuple[int, int] | None
    title: str
    badge: str = ""
    kind: str = "feature"
    role: str = "text"
    limit: float | None = None
    rule: Rule | None = None
    small: bool = False
    hidden: Array | None = None
    changed: Array | None = None
    pale: Array | None = None
    absent: str = ""
    says: str = "This number is"
    only_row: int | None = None


def matrix_board(
    matrices: Sequence[Matrix],
    cell: tuple[str, int, int],
    description: str,
    notation: Notation = OURS,
) -> JSON:
    """The board's JSON object. cell: the matrix, row and column of the pinned cell.

    Badges are those of matrices with tokens as rows; a notation may show matrices transposed.
    """
    sides = list(
        dict.fromkeys(side for matrix in matrices for side in (matrix.rows, matrix.columns))
    )
    letters = {side: side.letter or f"side {number}" for number, side in enumerate(sides)}
    array, *index = cell
    return board_json(
        description,
        {matrix.name: _array(matrix, letters) for matrix in matrices},
        {letters[side]: _axis(side) for side in sides},
        [_panel(matrix, matrix.place, notation) for matrix in matrices if matrix.place],
        (array, index),
        notation,
        rules={matrix.name: rule_json(matrix.rule) for matrix in matrices if matrix.rule},
    )


def mask_rule(scores: str, bias: str = "") -> Rule:
    """The rule of a matrix that equals another one, with some cells hidden. bias: the name of what
    is added to it.
    """
    return Rule("mask", (read(scores, 0, 1),), adds=(read(bias, 0, 1),) if bias else ())


def softmax_rule(scores: str, n_keys: int, sink: str = "") -> Rule:
    """The rule of a matrix whose rows are the softmax of another one's rows. sink: the name of one
    more score of every row.
    """
    adds = (read(sink, Position(), Position()),) if sink else ()
    return Rule("softmax", (read(scores, 0, RUNNING),), n_keys, adds, axis(1))


def head_matrices(
    trace: Trace,
    at: tuple[int, int],
    sides: tuple[Side, Side],
    names: tuple[str, str],
    places: tuple[tuple[int, int] | None, tuple[int, int]],
    titles: tuple[str, str],
    small: bool = False,
    **of_scores: Any,
) -> list[Matrix]:
    """The masked scores of one head, and the shares that each query gives to each key, their
    softmax. names, places, titles: of the two. at: sequence and head. of_scores: more about the
    scores.
    """
    scores, shares = trace.masked_scores[at], trace.probabilities[at]
    drawn = partial(Matrix, rows=sides[0], columns=sides[1], small=small)
    given, sink = list[Matrix](), ""
    if trace.sink is not None:
        number, sink = trace.sink[at[1]].reshape(1, 1), f"sink of {names[1]}"
        given = [Matrix(sink, number, Side("row"), Side("sink"), None, "sink", kind="logit")]
    rule = softmax_rule(names[0], trace.sizes["S"], sink)
    return [
        *given,
        drawn(names[0], scores, place=places[0], title=titles[0], kind="logit", **of_scores),
        drawn(
            names[1],
            shares,
            place=places[1],
            title=titles[1],
            kind="probability",
            rule=rule,
            hidden=trace.hidden[at],
        ),
    ]


def field_sides(trace: Trace, field: str) -> tuple[Side, Side]:
    """The sides of a field's matrix."""
    sides = {"T": Side("query position", trace.labels("T"), "T")}
    sides["S"] = Side("key position", trace.labels("S"), "S")
    rows, columns = (sides.get(letter, Side("feature")) for letter in STEPS[field].letters[-2:])
    return rows, columns


def difference_matrix(
    after: Matrix,
    before: Matrix,
    place: tuple[int, int],
    title: str = "difference",
    rounding: float = 0.0,
) -> Matrix:
    """One matrix minus another, cell by cell; cells that are hidden in the first stay hidden.

    It has a colour scale of its own. If there is no difference but rounding it has that of the two
    matrices, and stays pale. rounding: how much they can differ by rounding alone, if known.
    """
    hidden = np.isneginf(after.numbers)
    gap = np.where(hidden, 0.0, after.numbers) - np.where(
        np.isneginf(before.numbers), 0.0, before.numbers
    )
    compared = max(largest_magnitude(after.numbers), largest_magnitude(before.numbers))
    limit = largest_magnitude(gap)
    if np.abs(gap).max() <= max(rounding, MAX_RELATIVE_ROUNDING * compared):
        limit = compared
    name, numbers = f"{after.name} minus {before.name}", np.where(hidden, -np.inf, gap)
    rule = Rule("difference", (read(after.name, 0, 1), read(before.name, 0, 1)))
    about: dict[str, Any] = {"kind": "logit", "limit": limit, "rule": rule}
    return Matrix(name, numbers, after.rows, after.columns, place, title, **about)


def _axis(side: Side) -> JSON:
    """An axis of the board. Labels that only count from 0 are left out: the board quotes labels
    as words.
    """
    axis: JSON = {"word": side.word, "labels": None, "block": None}
    if side.most:
        axis["most"] = side.most
    labels = list(side.labels or ())
    if labels != list(map(str, range(len(labels)))):
        axis |= (
            named(labels)
            if side.word.endswith("position")
            else {"labels": [*map(label_of, labels)]}
        )
    return axis


def _array(matrix: Matrix, letters: dict[Side, str]) -> JSON:
    limit = matrix.limit
    if limit is None and matrix.kind != "probability":
        limit = largest_magnitude(matrix.numbers)
    if limit is not None:
        limit = float(f"{limit:.6g}")
    about: JSON = {
        "axes": [letters[matrix.rows], letters[matrix.columns]],
        "title": matrix.title,
        "role": matrix.role,
        "limit": limit,
    }
    if matrix.rule is None:
        about["given"] = matrix.says
    if matrix.absent:
        about["absent"] = matrix.absent
    cut = () if matrix.only_row is None else (_one(matrix.only_row), slice(None))
    cells = {"hatched": matrix.hidden, "changed": matrix.changed, "pale": matrix.pale}
    return about | sent_numbers(matrix.numbers, matrix.kind, cut, **cells)


def _one(place: int) -> slice:
    return slice(place, place + 1)


def _panel(matrix: Matrix, place: tuple[int, int], notation: Notation) -> JSON:
    badge = matrix.badge or " × ".join(map(str, matrix.numbers.shape))
    if notation.convention == "column":
        badge = " × ".join(reversed(badge.split(" × ")))
    role, size = "result" if matrix.rule else "operand", "small" if matrix.small else "full"
    about = {"size": size} if matrix.only_row is None else {"size": size, "rows": None}
    return panel_json(matrix.name, matrix.title, badge, place, role, **about)
