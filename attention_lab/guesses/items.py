"""The questions and the misconceptions in `assets/data/guesses.json`, and a question with its
numbers.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from attention_core.checks import check_choice

from ..home import ASSETS
from ..quiz import Question

GUESS_FILE = ASSETS / "data" / "guesses.json"


@dataclass(frozen=True)
class Misconception:
    """A wrong belief.

    text: the belief in one sentence of a learner. source: the page on which questions.csv answers
    it, the id of a claim, or "".
    """

    id: str
    text: str
    source: str


@dataclass(frozen=True)
class Item:
    """One question, without numbers.

    topic: "arithmetic", "shapes" or "misconceptions". fields: the fields of the trace that it can
    be about. kind: "number", "largest", "sign", "shape", "place", "grows" or "picture". asks: the
    part that is hidden until the answer: a "cell", a "pair" of cells, the "row" of one query, a
    whole "matrix", or "nothing". prompt: with names in braces.
    misconceptions: ids of those that give another answer. why: the reason, in one sentence. invite:
    the prompt in a few words, if the item can be asked beside the matrices of its step.
    """

    id: str
    topic: str
    fields: tuple[str, ...]
    kind: str
    asks: str
    prompt: str
    misconceptions: tuple[str, ...]
    why: str
    invite: str = ""


_DATA = json.loads(GUESS_FILE.read_text(encoding="utf-8"))
MISCONCEPTIONS: Mapping[str, Misconception] = {
    one["id"]: Misconception(**one) for one in _DATA["misconceptions"]
}
ITEMS: Mapping[str, Item] = {
    one["id"]: Item(
        **one | {"fields": tuple(one["fields"]), "misconceptions": tuple(one["misconceptions"])}
    )
    for one in _DATA["items"]
}


def items_of(field: str) -> tuple[Item, ...]:
    """The questions on a field of the trace, in the order of the file."""
    return tuple(item for item in ITEMS.values() if field in item.fields)


def item_at(name: str) -> Item:
    """A question by its id. Raises: SettingsError."""
    return ITEMS[check_choice("item", name, ITEMS)]


@dataclass(frozen=True, kw_only=True)
class Guess(Question):
    """A question on one cell, row or matrix of a trace.

    index: of the field's array, with its batch. invite: the text in a few words, or "". options:
    two to four. revealed: ids of the misconceptions that give a wrong answer here; the answers of
    the first of them are among the options. alike: indices of other cells with the same number.
    """

    item: Item
    field: str
    index: tuple[int, ...]
    invite: str
    revealed: tuple[str, ...]
    alike: tuple[tuple[int, ...], ...] = ()


def as_data(guess: Guess) -> dict[str, Any]:
    """A question as plain values, for a scene, a file or a class.

    "hides" lists the cells of its array that would give the answer away; null stands for all
    indices of an axis.
    """
    axes: list[int | None] = list(guess.index)
    if guess.item.asks == "row":
        axes[-1] = None
    elif guess.item.asks == "matrix":
        axes[-2:] = [None, None]
    hidden = [] if guess.item.kind in ("shape", "place") else [axes]
    if guess.item.asks == "pair" and guess.field == "scores":
        hidden.append([*guess.index[:-2], guess.index[-1], guess.index[-2]])
    hidden += map(list, guess.alike)
    told = ("invite", "why", "answer", "number", "tolerance")
    return {name: getattr(guess, name) for name in told} | {
        "prompt": guess.text,
        "id": guess.item.id,
        "kind": guess.item.kind,
        "array": guess.field,
        "index": list(guess.index),
        "hides": [] if guess.item.id == "softmax-grows" else hidden,
        "options": [asdict(option) for option in guess.options],
    }
