"""The questions and the misconceptions in `assets/data/guesses.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attention_core.checks import check_choice

GUESS_FILE = Path(__file__).resolve().parents[2] / "assets" / "data" / "guesses.json"
ITEM_KINDS = ("number", "largest", "sign", "shape", "place", "grows", "picture")
ITEM_TOPICS = ("arithmetic", "shapes", "misconceptions")
ITEM_SCOPES = ("cell", "pair", "row", "matrix", "nothing")


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

    topic: one of `ITEM_TOPICS`. fields: the fields of the trace that it can be about. kind: one of
    `ITEM_KINDS`. asks: one of `ITEM_SCOPES`; that part is hidden until the answer: a cell, a pair
    of cells, the row of one query, a whole matrix, or nothing. prompt: with names in braces.
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
