"""The question beside a worked example: about another cell of the same matrix, from which something
can be learned.

It asks only for what the board does not print, with factors that the board shows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from attention_core.checks import Array
from attention_core.trace import STEPS, Trace, head_of

from ..words.text import PADDING_TOKEN
from .answers import AskedItem
from .ask import make_guess
from .items import Guess, items_of

MAX_PRODUCTS = 8  # of a sum that can be worked out beside the board
MAX_EXPONENTIALS = 10
LEAST = 0.05  # of the largest number: smaller answers look like 0
MAX_ALIKE = 4  # cells with the same number, which are covered, too
MAX_CANDIDATES = 20  # cells, for one that can be asked about
MAX_GUESSES = 3  # of them, for one that reveals a misconception
Span = tuple[int, int]


def guess_beside(
    trace: Trace,
    field: str,
    index: Sequence[int],
    spans: Sequence[Span] = (),
    words: Array | None = None,
    columns: tuple[str, ...] = (),
) -> Guess | None:
    """The question on another cell than the one that is explained; None if nothing is worth asking.

    index: of the explained cell, with its batch. spans: of each axis without the batch, the first
    index that the board shows and the one after the last. words, columns: see `AskedItem`.
    """
    cell = tuple(index[1:])
    spans = spans or [(0, size) for size in getattr(trace, field).shape[1:]]
    for item in items_of(field):
        if not item.invite:
            continue
        asked = AskedItem(item, trace, field, cell, words, columns)
        cells = islice(_cells(asked, spans), MAX_CANDIDATES)
        guesses = (make_guess(asked.at(other)) for other in cells)
        if guess := _revealing(islice(filter(None, guesses), MAX_GUESSES)):
            return replace(guess, alike=_alike(asked, guess))
    return None


def _alike(asked: AskedItem, guess: Guess) -> tuple[tuple[int, ...], ...]:
    """Other cells of the matrix that give a number away: theirs would count as right."""
    if guess.item.kind != "number" or guess.item.asks == "row":
        return ()
    *heads, row, column = guess.index
    same = np.abs(asked.values[tuple(heads[1:])] - guess.number) <= guess.tolerance / 2
    same[row, column] = False
    return tuple((*heads, int(i), int(j)) for i, j in zip(*np.nonzero(same), strict=True))


def _revealing(guesses: Iterator[Guess]) -> Guess | None:
    """The first that reveals a misconception; if none does, the first."""
    first = None
    for guess in guesses:
        if guess.revealed:
            return guess
        first = first or guess
    return first


def _cells(asked: AskedItem, spans: Sequence[Span]) -> Iterable[tuple[int, ...]]:
    """Cells that are worth asking about, the best first."""
    if asked.item.kind == "place":
        return _places(asked)
    if asked.item.asks == "row":
        return _rows(asked, spans[-2])
    return _numbers(asked, spans[-2:])


def _places(asked: AskedItem) -> Iterator[tuple[int, ...]]:
    """The same feature of the next tokens, and the next features of the next heads."""
    *heads, row, column = asked.cell
    n_rows, n_columns = asked.values.shape[-2:]
    if asked.field == "inputs" or asked.item.id in ("projection-reads", "output-reads"):
        others = [(row + step) % n_rows for step in range(1, n_rows)]
        yield from ((other, column) for other in others if _is_real(asked, -2)[other])
        return
    n_heads = asked.trace.sizes["H"]
    width = n_columns if heads else n_columns // n_heads
    head, part = (heads[0], column) if heads else divmod(column, width)
    for step in range(1, width + 1):
        there, feature = (head + 1) % n_heads, (part + step) % width
        yield (there, row, feature) if heads else (row, there * width + feature)


def _is_real(asked: AskedItem, axis: int) -> Array:
    """For each index of an axis whether it is no [pad]."""
    letter = STEPS[asked.field].letters[axis]
    size = asked.values.shape[axis]
    if letter not in ("T", "S"):
        return np.ones(size, bool)
    return np.array([label != PADDING_TOKEN for label in asked.trace.labels(letter)])


def _rows(asked: AskedItem, span: Span) -> Iterator[tuple[int, ...]]:
    """Rows whose answer differs from that of the explained one, the next ones first."""
    *heads, row, column = asked.cell
    matrix = asked.values[tuple(heads)]
    seen = np.isfinite(matrix)
    if asked.item.kind == "number":  # how many keys are not hidden
        answers, fair = seen.sum(axis=1), ~seen.all(axis=1) & (seen.sum(axis=1) > 1)
    else:
        answers, fair = matrix.argmax(axis=1), seen.sum(axis=1) > 1
    if asked.field == "masked_scores":
        fair &= ~seen.all(axis=1)
    places = np.arange(len(fair))
    fair &= (places >= span[0]) & (places < span[1])
    fair &= (answers != answers[row]) & _is_real(asked, -2)
    itself = answers == places  # the largest on the diagonal teaches less
    order = sorted(np.flatnonzero(fair), key=lambda other: (itself[other], other < row))
    yield from ((*heads, int(other), column) for other in order)


def _numbers(asked: AskedItem, spans: Sequence[Span]) -> Iterator[tuple[int, ...]]:
    """Cells with another number, which is not 0 and not copied: sums of several terms first."""
    *heads, row, column = asked.cell
    whole, shown = asked.values[tuple(heads)], tuple(slice(*span) for span in spans)
    matrix, n_terms = whole[shown], _terms(asked, shown)
    sizes = np.abs(matrix)
    with np.errstate(invalid="ignore"):
        fair = np.isfinite(matrix) & (sizes > LEAST * asked.largest)
        fair &= ~(np.abs(matrix - whole[row, column]) <= 2 * asked.tolerance)
    fair &= np.outer(*(_is_real(asked, axis)[shown[axis]] for axis in (-2, -1)))
    most = MAX_EXPONENTIALS if asked.field == "probabilities" else MAX_PRODUCTS
    fair &= (n_terms >= 1) & (n_terms <= most)
    rows, columns = (places + span[0] for places, span in zip(np.nonzero(fair), spans, strict=True))
    printed = np.round(matrix[fair] / asked.tolerance)
    _, same, n_alike = np.unique(printed, return_inverse=True, return_counts=True)
    dull = np.abs(sizes - 0.5) if asked.field == "probabilities" else -sizes
    last_counts_most = (
        np.abs(columns - column) + np.abs(rows - row),
        columns == column,
        dull[fair].round(6),
        n_alike[same] > MAX_ALIKE,
        rows == row,
        n_terms[fair] < 2,
    )
    for place in np.lexsort(last_counts_most):
        yield (*heads, int(rows[place]), int(columns[place]))


def _terms(asked: AskedItem, shown: tuple[slice, ...]) -> Array:
    """For each cell that is shown the number of its terms that are not 0; 0 for a cell that copies
    a number.
    """
    *heads, _, _ = asked.cell
    matrix = asked.values[tuple(heads)][shown]
    if asked.field == "probabilities":
        n_seen = (~asked.trace.hidden[0, heads[0]]).sum(axis=1)
        return np.broadcast_to(n_seen[shown[0], None], matrix.shape)
    if asked.field == "inputs":
        words = np.zeros(matrix.shape) if asked.words is None else asked.words[shown]
        return 2 * _counts(words) * _counts(matrix - words)
    if STEPS[asked.field].option:
        return np.full(matrix.shape, 2)  # the members of a pair, or a number and its root
    if asked.field == "scaled_scores":
        return np.full(matrix.shape, int(abs(asked.trace.scale - 1) > LEAST))
    left, right = _factors(asked.trace, asked.field, *heads)
    counted, right = _counts(left[shown[0]]), right[:, shown[1]]
    n_terms = counted @ _counts(right)
    is_copy = (n_terms == 1) & (counted @ (right == 1.0) == 1)
    return np.where(is_copy, 0, n_terms)


def _counts(matrix: Array) -> Array:
    """Which numbers do not look like 0, as 1 and 0."""
    largest = np.abs(matrix).max(initial=0.0)
    large: Array = (np.abs(matrix) > 0.2 * LEAST * largest).astype(float)
    return large


def _factors(trace: Trace, field: str, head: int = 0) -> tuple[Array, Array]:
    """The two matrices whose product a field, or a head of it, is."""
    p = trace.projections
    match field:
        case "scores":
            queries, keys = (getattr(trace, name)[0] for name in trace.needs("scores"))
            return queries[head], keys[head_of(trace, "key_heads", head)].T
        case "head_outputs":
            values = trace.value_heads[0, head_of(trace, "value_heads", head)]
            return trace.probabilities[0, head], values
        case "output":
            merged, w_o = trace.merged[0], p.w_o
            return merged, np.eye(merged.shape[1]) if w_o is None else w_o
    source = trace.inputs[0] if field == "queries" else trace.memory[0]
    return source, getattr(p, f"w_{field[0]}")
