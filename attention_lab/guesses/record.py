"""A question with its numbers: what is asked, what may be answered, and what is right."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .items import Item

Picture = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Option:
    """One answer to choose.

    value: what is kept of it; of a number its digits. misconceptions: the ids of those who give it.
    picture: numbers from 0 to 1, where it is one.
    """

    value: str
    label: str
    right: bool = False
    misconceptions: tuple[str, ...] = ()
    picture: Picture = ()


@dataclass(frozen=True)
class Reason:
    """One reason to choose; a wrong one is a misconception, and has its id."""

    says: str
    misconception: str = ""


@dataclass(frozen=True)
class Guess:
    """A question on one cell, row or matrix of a trace.

    field, index: what is asked about; the index is that of the array, with its batch. options: from
    two to four, the right one among them. answer: as it is told; number: the same of a number, else
    None. tolerance: how far a number may be off. told_apart: all misconceptions that give a wrong
    answer here; the answers of the first of them are among the options.
    """

    item: Item
    field: str
    index: tuple[int, ...]
    prompt: str
    answer: str
    options: tuple[Option, ...]
    reasons: tuple[Reason, ...]
    told_apart: tuple[str, ...]
    number: float | None = None
    tolerance: float = 0.0

    @property
    def why(self) -> str:
        """Why the answer is right, in one sentence."""
        return self.item.why


def as_data(guess: Guess) -> dict[str, Any]:
    """A question as plain values, for a scene, a file or a class.

    "hides" are the places of its array that would give the answer away: null stands for any.
    """
    axes: list[int | None] = list(guess.index)
    if guess.item.asks == "row":
        axes[-1] = None
    elif guess.item.asks == "matrix":
        axes[-2:] = [None, None]
    hidden = [] if guess.item.kind == "shape" else [axes]
    if guess.item.asks == "pair" and guess.field == "scores":
        hidden.append([*guess.index[:-2], guess.index[-1], guess.index[-2]])
    return {
        "id": guess.item.id,
        "kind": guess.item.kind,
        "array": guess.field,
        "index": list(guess.index),
        "hides": [] if guess.item.id == "softmax-grows" else hidden,
        "prompt": guess.prompt,
        "options": [asdict(option) for option in guess.options],
        "reasons": [asdict(reason) for reason in guess.reasons],
        "why": guess.why,
        "answer": guess.answer,
        "number": guess.number,
        "tolerance": guess.tolerance,
    }
