"""Questions on a trace: the cell that is asked for, the options, and what each misconception
answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from attention_core.checks import Array, whole_number
from attention_core.errors import SettingsError
from attention_core.initialisation import Stream, generator
from attention_core.trace import STEPS, Trace

from .answers import Answer, AskedItem, answer, believed_answer, is_same_answer
from .beliefs import believed_array
from .items import ITEMS, MISCONCEPTIONS, item_at, items_of
from .options import options_of
from .prompts import prompt_of
from .record import Guess, Reason

MAX_GUESS_NUMBER = 9999
MAX_TRIED_CELLS = 60  # cells that are looked at for one which tells most misconceptions apart


def guesses_of(
    trace: Trace, field: str, lit: Sequence[int], words: Array | None = None
) -> tuple[Guess, ...]:
    """The questions on one field that can be asked at the lit cell, those first that tell a
    misconception apart there.

    lit: an index of the field, with its batch. words: see `Asked`.
    """
    found = [
        guess
        for item in items_of(field)
        if (guess := _guess(AskedItem(item, trace, field, tuple(lit[1:]), words)))
    ]
    return tuple(sorted(found, key=lambda guess: not guess.told_apart))


def guess_of(
    trace: Trace, item: str, number: int = 1, field: str = "", words: Array | None = None
) -> Guess:
    """A question by its id, on a cell that a number from 1 chooses: of some cells the one at which
    most of its misconceptions answer wrongly.

    field: one of the item's fields, or "" for the one whose turn it is. Raises: SettingsError where
    this layer has no cell for it.

    >>> from attention_core import Projections, attend
    >>> guess = guess_of(attend([[1.0], [2.0]], Projections.weightless(1)), "scores-number")
    >>> guess.field, guess.number in (1.0, 2.0, 4.0)
    ('scores', True)
    """
    asked_for = item_at(item)
    turn = whole_number("number", number, 1, MAX_GUESS_NUMBER)
    chosen = field if field in asked_for.fields else asked_for.fields[turn % len(asked_for.fields)]
    rng = generator(turn, Stream.QUESTIONS)
    shape = getattr(trace, chosen).shape[1:]
    best: Guess | None = None
    for _ in range(MAX_TRIED_CELLS):
        cell = tuple(int(rng.integers(size)) for size in shape)
        found = _guess(AskedItem(asked_for, trace, chosen, cell, words))
        if found and (best is None or len(found.told_apart) > len(best.told_apart)):
            best = found
        if best and len(best.told_apart) == len(asked_for.misconceptions):
            break
    if best is None:
        title = STEPS[chosen].title
        raise SettingsError(
            f"This layer has no cell of the {title} for the question “{item}”; choose another"
            " question, other sizes or another mask"
        )
    return best


def guess_in_turn(trace: Trace, number: int, field: str = "") -> Guess | None:
    """The question whose turn it is, of one field or of all: the first that this layer has a cell
    for. Pictures are left out, and so are questions on the words. None where there is none.
    """
    items = [
        item.id
        for item in ITEMS.values()
        if item.kind != "picture" and "inputs" not in item.fields and field in ("", *item.fields)
    ]
    for place in range(len(items)):
        with suppress(SettingsError):
            return guess_of(trace, items[(number - 1 + place) % len(items)], number, field)
    return None


def _guess(asked: AskedItem) -> Guess | None:
    """The question on its cell, or None where it cannot be asked there."""
    item = asked.item
    right = answer(asked, asked.values)
    if right is None or _is_idle(asked, right):
        return None
    names = dict.fromkeys((*item.misconceptions, *MISCONCEPTIONS))  # its own come first
    arrays = {name: _array(asked, name) for name in names}
    found = {name: believed_answer(asked, name, arrays) for name in names}
    wrong = {
        m: a for m, a in found.items() if a is not None and not is_same_answer(asked, a, right)
    }
    options = options_of(asked, right, wrong)
    if len(options) < 2:
        return None
    reasons = [
        Reason(item.right),
        *(Reason(MISCONCEPTIONS[m].says, m) for m in item.misconceptions),
    ]
    turn = sum(asked.cell) % len(reasons)
    return Guess(
        item=item,
        field=asked.field,
        index=(0, *asked.cell),
        prompt=prompt_of(asked),
        answer=next(option.label for option in options if option.right),
        options=options,
        reasons=tuple(reasons[turn:] + reasons[:turn]),
        told_apart=tuple(wrong),
        number=right if isinstance(right, float) else None,
        tolerance=asked.tolerance if isinstance(right, float) else 0.0,
    )


def _array(asked: AskedItem, misconception: str) -> Array | None:
    if misconception == "word-alone":
        return asked.words if asked.field == "inputs" else None
    return believed_array(asked.trace, asked.field, misconception)


def _is_idle(asked: AskedItem, right: Answer) -> bool:
    """Whether a question has nothing to ask for: a number that is none, or the sum of a word and
    a place that are not known apart.
    """
    if isinstance(right, float) and not math.isfinite(right):
        return True
    if asked.field == "scaled_scores" and asked.trace.softcap is not None:
        return True
    if asked.field == "output" and asked.trace.projections.w_o is None:
        return True
    return asked.item.id == "inputs-number" and (
        asked.words is None or bool(np.array_equal(asked.words, asked.values))
    )
