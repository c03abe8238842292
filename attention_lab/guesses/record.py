"""A question with its numbers: prompt, options, and the right answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .items import Item

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
    return {
        "id": guess.item.id,
        "kind": guess.item.kind,
        "array": guess.field,
        "index": list(guess.index),
        "hides": [] if guess.item.id == "softmax-grows" else hidden,
        "prompt": guess.prompt,
        "invite": guess.invite,
        "options": [asdict(option) for option in guess.options],
        "why": guess.why,
        "answer": guess.answer,
        "number": guess.number,
        "tolerance": guess.tolerance,
    }
