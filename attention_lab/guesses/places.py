"""Questions of place: where a number goes, and from where a number comes. Nothing is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from attention_core.trace import STEPS

from .asked_item import AskedItem

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
