"""Answers to a question: the engine's from its own array, a learner's from the array they believe
in.

An answer is a number, a text, or a picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.trace import Trace

from .asked_item import AskedItem
from .places import places_of
from .record import Picture

Answer = float | str | Picture
SAME = "the same"
MAX_PICTURE_TOKENS = 16  # on a button
ZERO_TOLERANCE = 1e-9  # of the largest number: smaller differences are rounding


def answer(asked: AskedItem, values: Array) -> Answer | None:
    """The answer from an array of the field, without its batch; None if it does not decide it."""
    return _ANSWERS[asked.item.kind](asked, values)


def _shape_text(trace: Trace, field: str, misconception: str = "") -> str:
    """The shape of a field, or of one head of it; or the shape that a learner believes in."""
    if misconception:
        return _shape(trace, *_believed_shapes(trace, field)[misconception])
    return _shape(trace, *getattr(trace, field).shape[-2:])


def _believed_shapes(trace: Trace, field: str) -> dict[str, tuple[int | str, int | str]]:
    sizes = trace.sizes
    return {
        "one-number": ("T", 1),
        "one-head-wide": ("T" if field == "queries" else "S", sizes[_width_of(field)]),
        "element-wise": ("T", sizes["K"]),
        "heads-mean": ("T", sizes["V"]),
        "stacked": (sizes["H"] * sizes["T"], sizes["V"]),
    }


def other_shapes(trace: Trace, field: str) -> list[str]:
    """Wrong shapes that no misconception gives."""
    n_heads, width = trace.sizes["H"], getattr(trace, field).shape[-1]
    return [_shape(trace, 1, width), _shape(trace, "T", "T"), _shape(trace, n_heads, width)]


def _width_of(field: str) -> str:
    return "V" if field == "values" else "K"


def _shape(trace: Trace, rows: int | str, columns: int | str) -> str:
    """A shape in words; a letter stands for the size of its axis."""
    n_rows, n_columns = (trace.sizes[n] if isinstance(n, str) else n for n in (rows, columns))
    return f"{n_rows} × {n_columns}"


def is_same_answer(asked: AskedItem, first: Answer, other: Answer) -> bool:
    """Whether two answers are the same."""
    if isinstance(first, float) and isinstance(other, float):
        return first == other or abs(first - other) <= asked.tolerance
    if isinstance(first, tuple) and isinstance(other, tuple):
        return bool(np.allclose(first, other, atol=0.05))
    return first == other


def _number(asked: AskedItem, values: Array) -> float:
    if asked.item.asks == "row":
        return float(np.isfinite(values[asked.cell[:-1]]).sum())
    return float(values[asked.cell])


def _sign(asked: AskedItem, values: Array) -> str | None:
    number, largest = float(values[asked.cell]), asked.largest
    if not math.isfinite(number):
        return None
    if abs(number) <= ZERO_TOLERANCE * largest:
        return "zero"
    return "positive" if number > 0 else "negative"


def _largest(asked: AskedItem, values: Array) -> str | None:
    row = values[asked.cell[:-1]]
    finite = row[np.isfinite(row)]
    if len(finite) == 0 or (asked.field == "probabilities" and not finite.any()):
        return None
    best = np.flatnonzero(row >= finite.max() - ZERO_TOLERANCE * max(1.0, np.abs(finite).max()))
    return str(best[0]) if len(best) == 1 else None


def _shape_answer(asked: AskedItem, values: Array) -> str:
    return _shape_text(asked.trace, asked.field)


def _grows(asked: AskedItem, values: Array) -> str | None:
    *head, query, key = asked.cell
    if asked.field == "scores":
        if asked.trace.memory is not asked.trace.inputs or query == key:
            return None
        first, other = float(values[asked.cell]), float(values[(*head, key, query)])
        return _which(first - other, max(abs(first), abs(other)))
    best, least = pair_of(asked)
    row = asked.trace.masked_scores[0][asked.cell[:-1]]
    if best == least or not math.isfinite(row[best]):
        return None
    before, after = softmax(row), softmax(2 * row)
    grown = [float(after[place] - before[place]) > ZERO_TOLERANCE for place in (best, least)]
    return {(True, False): "first", (False, True): "second"}.get((grown[0], grown[1]), SAME)


def _which(difference: float, largest: float) -> str:
    if abs(difference) <= ZERO_TOLERANCE * largest:
        return SAME
    return "first" if difference > 0 else "second"


def pair_of(asked: AskedItem) -> tuple[int, int]:
    """The keys with the largest and the smallest share, among those that the query sees."""
    row = asked.trace.masked_scores[0][asked.cell[:-1]]
    return int(row.argmax()), int(np.where(np.isfinite(row), row, np.inf).argmin())


def _picture(asked: AskedItem, values: Array) -> Picture | None:
    matrix = values[asked.cell[:-2]]
    if max(matrix.shape) > MAX_PICTURE_TOKENS:
        return None
    shades = np.isfinite(matrix) * 1.0 if asked.field == "masked_scores" else matrix.clip(0, 1)
    return tuple(tuple(round(float(n), 3) for n in row) for row in shades)


_ANSWERS = {
    "number": _number,
    "sign": _sign,
    "largest": _largest,
    "shape": _shape_answer,
    "place": lambda asked, values: places_of(asked).get(""),
    "grows": _grows,
    "picture": _picture,
}


def believed_answer(
    asked: AskedItem, misconception: str, arrays: Mapping[str, Array | None]
) -> Answer | None:
    """The answer of a learner with a misconception; None if the misconception does not decide it.

    arrays: the believed array for each misconception, see `beliefs`.
    """
    kind, (*_, query, _) = asked.item.kind, asked.cell
    if kind == "shape":
        if misconception not in asked.item.misconceptions:
            return None
        return _shape_text(asked.trace, asked.field, misconception)
    if kind == "place":
        return places_of(asked).get(misconception)
    if misconception == "diagonal":
        is_square = kind == "largest" and asked.trace.memory is asked.trace.inputs
        return str(query) if is_square and not _is_hidden(asked, query) else None
    if kind == "grows" and asked.field == "probabilities":
        return {"linear": SAME}.get(misconception)
    if misconception == "mask-zero" and asked.item.id in ("masked-count", "masked-picture"):
        return None  # this belief is about hidden scores, not about which are hidden
    values = arrays.get(misconception)
    return None if values is None else answer(asked, values)


def _is_hidden(asked: AskedItem, key: int) -> bool:
    return bool(asked.trace.hidden[0][(*asked.cell[:-1], key)])
