"""The questions and the misconceptions in `assets/data/guesses.json`, a question with its numbers,
and the grading of an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from attention_core.checks import check_choice

from ..home import ASSETS

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


Picture = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Option:
    """One answer to choose.

    value: what is stored as the answer, for a number its digits. misconceptions: ids of those that
    give it. picture: rows of numbers from 0 to 1, if the answer is a picture.
    """

    value: str
    label: str
    right: bool = False
    misconceptions: tuple[str, ...] = ()
    picture: Picture = ()


@dataclass(frozen=True)
class Guess:
    """A question on one cell, row or matrix of a trace.

    index: of the field's array, with its batch. invite: the prompt in a few words, or "". options:
    two to four, one of them right. answer: its label. number: the right number, or None for other
    kinds. tolerance: the largest error of a right number. revealed: ids of the misconceptions that
    give a wrong answer here; the answers of the first of them are among the options. alike: indices
    of other cells with the same number.
    """

    item: Item
    field: str
    index: tuple[int, ...]
    prompt: str
    invite: str
    answer: str
    options: tuple[Option, ...]
    revealed: tuple[str, ...]
    number: float | None = None
    tolerance: float = 0.0
    alike: tuple[tuple[int, ...], ...] = ()

    @property
    def why(self) -> str:
        """Why the answer is right, in one sentence."""
        return self.item.why


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
    told = ("prompt", "invite", "why", "answer", "number", "tolerance")
    return {name: getattr(guess, name) for name in told} | {
        "id": guess.item.id,
        "kind": guess.item.kind,
        "array": guess.field,
        "index": list(guess.index),
        "hides": [] if guess.item.id == "softmax-grows" else hidden,
        "options": [asdict(option) for option in guess.options],
    }


NEAR_TOLERANCES = 5


@dataclass(frozen=True)
class GuessVerdict:
    """The grade of an answer: "right", "near", "sign" for the right number with the other sign, or
    "wrong"; and the ids of the misconceptions that give it.
    """

    grade: str
    misconceptions: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether it is right."""
        return self.grade == "right"


def judge(guess: Guess, answer: float | str) -> GuessVerdict:
    """Judge a typed number, or the value of an option.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.guesses import guess_of
    >>> guess = guess_of(attend([[1.0], [2.0]], Projections.weightless(1)), "scores-number")
    >>> judge(guess, guess.number).right, judge(guess, 99.0).grade
    (True, 'wrong')
    """
    if isinstance(answer, str):
        chosen = next((one for one in guess.options if one.value == answer), Option("", ""))
        return GuessVerdict("right" if chosen.right else "wrong", chosen.misconceptions)
    if guess.number is None:
        return GuessVerdict("wrong")
    tolerance = guess.tolerance * (1 + 1e-9)
    error = abs(answer - guess.number)
    if error <= tolerance:
        return GuessVerdict("right")
    believed = tuple(
        name
        for option in guess.options
        if not option.right and abs(answer - float(option.value)) <= tolerance
        for name in option.misconceptions
    )
    if believed:
        return GuessVerdict("wrong", believed)
    if abs(answer + guess.number) <= tolerance:
        return GuessVerdict("sign")
    return GuessVerdict("near" if error <= NEAR_TOLERANCES * tolerance else "wrong")
