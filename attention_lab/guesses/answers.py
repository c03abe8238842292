"""Answers to a question on one cell of a layer: the engine's from its own array, a learner's from
the array they believe in.

An answer is a number, a text, or a picture. In questions of place, where a number goes and from
where it comes, nothing is computed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.trace import STEPS, Trace

from ..quiz import Picture
from .beliefs import believed_array
from .items import Item

MAX_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class AskedItem:
    """An item on one cell of a trace.

    cell: the index without the batch. words: the word vectors without positions, shapes (T, D), if
    the inputs have them. columns: the names of the columns of the cell's matrix, if it
    has any.
    """

    item: Item
    trace: Trace
    field: str
    cell: tuple[int, ...]
    words: Array | None = None
    columns: tuple[str, ...] = ()
    _believed: dict[str, Array | None] = dataclasses.field(default_factory=dict, repr=False)

    def at(self, cell: tuple[int, ...]) -> AskedItem:
        """The item on another cell; what learners believe of the whole array is computed once."""
        return replace(self, cell=cell)

    def believed(self, misconception: str) -> Array | None:
        """The array as a learner with a misconception computes it, see `believed_array`."""
        if misconception not in self._believed:
            own = misconception == "word-alone" and self.field == "inputs"
            array = self.words if own else believed_array(self.trace, self.field, misconception)
            self._believed[misconception] = array
        return self._believed[misconception]

    @cached_property
    def values(self) -> Array:
        """The engine's array without its batch."""
        array: Array = getattr(self.trace, self.field)[0]
        return array

    @cached_property
    def largest(self) -> float:
        """The largest size of a number in the cell's matrix; in its head's part of it, if heads lie
        side by side.
        """
        matrix = self.values[self.cell[:-2]]
        if "·" in (last := STEPS[self.field].letters[-1]):
            width = self.trace.sizes[last.split("·")[1]]
            first = self.cell[-1] // width * width
            matrix = matrix[:, first : first + width]
        finite = np.abs(matrix[np.isfinite(matrix)])
        return float(finite.max(initial=0.0))

    @property
    def decimals(self) -> int:
        """The decimals of an answer; the last is worth 0.5 to 5 % of the largest number."""
        largest = self.largest
        digits = -math.floor(math.log10(largest / 20)) if largest > 0 else 2
        return min(max(0, digits), MAX_DECIMALS)

    @property
    def tolerance(self) -> float:
        """The largest error of a right number: one unit of its last decimal; 0 for a count."""
        return 0.0 if self.item.asks == "row" else 10.0**-self.decimals


Places = Mapping[str, str]  # answers by misconception; "" for the right one
_VECTORS = {"q": "query", "k": "key", "v": "value"}


def places_of(asked: AskedItem) -> Places:
    """The answers to a question of place; none where it cannot be asked of this layer."""
    return _PLACES[asked.item.id](asked)


def place_names(asked: AskedItem) -> dict[str, str]:
    """The names in the prompt of a question of place, besides those of its tokens."""
    place, names = asked.cell[-1], {"one": _VECTORS.get(asked.field[0], "vector")}
    if asked.field == "inputs":
        word = f"“{asked.trace.labels('T')[asked.cell[0]]}”"
        return names | {"word": word, "other": f"that of position {_twin(asked)}"}
    if asked.field == "output":
        return names
    head, part = divmod(place, _width(asked))
    if "·" in STEPS[asked.field].letters[-1]:
        return names | {"head": str(head), "part": str(part)}
    return names | {"column": str(asked.cell[0] * _width(asked) + place)}


def _width(asked: AskedItem) -> int:
    """The width of a head in the field."""
    width = STEPS[asked.field].letters[-1].split("·")[-1]
    return asked.trace.sizes[width]


def _twin(asked: AskedItem) -> int | None:
    """Another position of the same word, if it has one."""
    labels, place = asked.trace.labels("T"), asked.cell[0]
    same = (i for i, label in enumerate(labels) if label == labels[place] and i != place)
    return next(same, None)


def _same(asked: AskedItem) -> Places:
    other, words, inputs = _twin(asked), asked.words, asked.values
    place = asked.cell[0]
    if other is None or words is None or not np.array_equal(words[place], words[other]):
        return {}
    if np.array_equal(inputs[place], inputs[other]):
        return {}
    return {"": "no, the positions differ", "word-alone": "yes, it is the same word"}


def _reads(asked: AskedItem) -> Places:
    """The features of a token that a number reads: all, if no weight is 0."""
    projections, column = asked.trace.projections, asked.cell[-1]
    weights = getattr(projections, f"w_{asked.field[0]}")
    n_heads = projections.n_heads if asked.field == "queries" else projections.groups
    n_features, width = len(weights), weights.shape[1] // n_heads
    if n_heads < projections.n_heads or n_heads == 1 or not weights[:, column].all():
        return {}
    owner = np.arange(n_features) * n_heads // n_features
    own = np.flatnonzero(owner == column // width)
    if not len(own):
        return {}
    return {"": f"all {n_features}", "slice": f"only {own[0]} to {own[-1]}"}


def reads_slice_alone(asked: AskedItem) -> bool:
    """Whether the cell's head reads no feature of a token but those of its own slice, as where
    X itself is cut into heads.
    """
    weights_DF = getattr(asked.trace.projections, f"w_{asked.field[0]}")
    width, n_features = _width(asked), len(weights_DF)
    n_blocks, block = weights_DF.shape[1] // width, asked.cell[-1] // width
    others = np.arange(n_features) * n_blocks // n_features != block
    return bool(others.any()) and not weights_DF[others, block * width :][:, :width].any()


def has_one_vector(asked: AskedItem) -> bool:
    """Whether the query of every token is its key in the cell's head, as with tied weights."""
    trace, head = asked.trace, asked.cell[0]
    key_head = head * trace.sizes["G"] // trace.sizes["H"]
    query_TK, key_SK = trace.query_heads[0, head], trace.key_heads[0, key_head]
    return query_TK.shape == key_SK.shape and bool(np.allclose(query_TK, key_SK))


def _split(asked: AskedItem) -> Places:
    head, _, feature = asked.cell
    n_heads, _, width = asked.values.shape
    if n_heads == 1 or n_heads < asked.trace.sizes["H"]:
        return {}
    column = head * width + feature
    places = {
        "": (head, feature),
        "interleaved": (column % n_heads, column // n_heads),
        "counted on": (head, column),
    }
    return {name: f"head {h}, feature {f}" for name, (h, f) in places.items()}


def _merged(asked: AskedItem) -> Places:
    column, width, n_heads = asked.cell[-1], _width(asked), asked.trace.sizes["H"]
    if n_heads == 1:
        return {}
    head, feature = divmod(column, width)
    places = {"": column, "interleaved": feature * n_heads + head, "heads-mean": feature}
    return {name: f"number {place}" for name, place in places.items()}


def _mixes(asked: AskedItem) -> Places:
    w_o, n_heads = asked.trace.projections.w_o, asked.trace.sizes["H"]
    column = asked.cell[-1]
    if w_o is None or n_heads == 1:
        return {}
    if not w_o[:, column].reshape(n_heads, -1).any(axis=1).all():
        return {}
    alone = column * n_heads // w_o.shape[1]
    return {"": f"all {n_heads} heads", "heads-apart": f"head {alone} alone"}


_PLACES: Mapping[str, Callable[[AskedItem], Places]] = {
    "inputs-same": _same,
    "projection-reads": _reads,
    "split-place": _split,
    "merge-place": _merged,
    "output-reads": _mixes,
}


Answer = float | str | Picture
SAME = "the same"
MAX_PICTURE_TOKENS = 16  # on a button
ZERO_TOLERANCE = 1e-9  # of the largest number: smaller differences are rounding


def answer(asked: AskedItem, values: Array) -> Answer | None:
    """The answer from an array of the field, without its batch; None if it does not decide it."""
    return _ANSWERS[asked.item.kind](asked, values)


def _shapes(trace: Trace, field: str) -> dict[str, str]:
    """The shape of a field, or of one head of it, as each misconception has it; the key "" has the
    right one.
    """
    sizes = trace.sizes
    n_tokens = sizes["T" if field == "queries" else "S"]
    shapes = {
        "": getattr(trace, field).shape[-2:],
        "one-number": (sizes["T"], 1),
        "one-head-wide": (n_tokens, sizes["V" if field == "values" else "K"]),
        "element-wise": (sizes["T"], sizes["K"]),
        "heads-mean": (sizes["T"], sizes["V"]),
        "stacked": (sizes["H"] * sizes["T"], sizes["V"]),
    }
    return {name: f"{rows} × {columns}" for name, (rows, columns) in shapes.items()}


def other_shapes(trace: Trace, field: str) -> list[str]:
    """Wrong shapes that no misconception gives."""
    n_tokens, width = trace.sizes["T"], getattr(trace, field).shape[-1]
    return [f"1 × {width}", f"{n_tokens} × {n_tokens}", f"{trace.sizes['H']} × {width}"]


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


def _grows(asked: AskedItem, values: Array) -> str | None:
    *head, query, key = asked.cell
    if asked.field == "probabilities" and asked.trace.sink is not None:
        return None  # a sink does not double with the scores
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
    return tuple(map(tuple, np.round(shades, 3).tolist()))


_ANSWERS = {
    "number": _number,
    "sign": _sign,
    "largest": _largest,
    "shape": lambda asked, values: _shapes(asked.trace, asked.field)[""],
    "place": lambda asked, values: places_of(asked).get(""),
    "grows": _grows,
    "picture": _picture,
}


def believed_answer(asked: AskedItem, misconception: str) -> Answer | None:
    """The answer of a learner with a misconception; None if the misconception does not decide
    it.
    """
    kind, (*_, query, _) = asked.item.kind, asked.cell
    if kind == "shape":
        is_own = misconception in asked.item.misconceptions
        return _shapes(asked.trace, asked.field)[misconception] if is_own else None
    if kind == "place":
        return places_of(asked).get(misconception)
    if misconception == "diagonal":
        is_square = kind == "largest" and asked.trace.memory is asked.trace.inputs
        is_hidden = is_square and asked.trace.hidden[0][(*asked.cell[:-1], query)]
        return str(query) if is_square and not is_hidden else None
    if kind == "grows" and asked.field == "probabilities":
        return {"linear": SAME}.get(misconception)
    if misconception == "mask-zero" and asked.item.id in ("masked-count", "masked-picture"):
        return None  # this belief is about hidden scores, not about which are hidden
    values = asked.believed(misconception)
    return None if values is None else answer(asked, values)
