"""Questions on a trace: the cell, the options, and the answer of each misconception."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.initialisation import Stream, generator
from attention_core.trace import STEPS, Trace

from .answers import Answer, answer, believed_answer, is_same_answer
from .asked_item import AskedItem
from .beliefs import believed_array
from .items import ITEMS, MISCONCEPTIONS, item_at
from .options import options_of, words_of
from .record import Guess

MAX_TRIED_CELLS = 60  # to find one that reveals most misconceptions


def guess_of(
    trace: Trace, item: str, number: int = 1, field: str = "", words: Array | None = None
) -> Guess:
    """A question by its id. Its number, from 1, chooses some cells, and of them the one that
    reveals most misconceptions is asked about.

    field: one of the item's fields, or "" to choose one by the number. Raises: SettingsError if
    this layer has no cell for the question.

    >>> from attention_core import Projections, attend
    >>> guess = guess_of(attend([[1.0], [2.0]], Projections.weightless(1)), "scores-number")
    >>> guess.field, guess.number in (1.0, 2.0, 4.0)
    ('scores', True)
    """
    chosen_item = item_at(item)
    fields = chosen_item.fields
    chosen = field if field in fields else fields[number % len(fields)]
    rng = generator(number, Stream.QUESTIONS)
    shape = getattr(trace, chosen).shape[1:]
    best: Guess | None = None
    for _ in range(MAX_TRIED_CELLS):
        cell = tuple(int(rng.integers(size)) for size in shape)
        guess = make_guess(AskedItem(chosen_item, trace, chosen, cell, words))
        if guess and (best is None or len(guess.revealed) > len(best.revealed)):
            best = guess
        if best and len(best.revealed) == len(chosen_item.misconceptions):
            break
    if best is None:
        title = STEPS[chosen].title
        raise SettingsError(
            f"This layer has no cell of the {title} for the question “{item}”; choose another"
            " question, other sizes or another mask"
        )
    return best


def guess_in_turn(trace: Trace, number: int, field: str = "") -> Guess | None:
    """The question of a number, on one field or on all: the first one from there that this layer
    has a cell for, or None. Questions with pictures, on places and on the inputs are left out.
    """
    items = [
        item.id
        for item in ITEMS.values()
        if item.kind not in ("picture", "place")
        and "inputs" not in item.fields
        and field in ("", *item.fields)
    ]
    for place in range(len(items)):
        with suppress(SettingsError):
            return guess_of(trace, items[(number - 1 + place) % len(items)], number, field)
    return None


def make_guess(asked: AskedItem) -> Guess | None:
    """The question on its cell, or None if it cannot be asked there."""
    item = asked.item
    right = answer(asked, asked.values)
    if right is None or _is_idle(asked, right):
        return None
    names = dict.fromkeys((*item.misconceptions, *MISCONCEPTIONS))  # the item's own come first
    computed = names if item.kind not in ("shape", "place") else ()
    arrays = {name: _array(asked, name) for name in computed}
    answers = {name: believed_answer(asked, name, arrays) for name in names}
    wrong = {
        m: a for m, a in answers.items() if a is not None and not is_same_answer(asked, a, right)
    }
    options = options_of(asked, right, wrong)
    if len(options) < 2:
        return None
    prompt, invite = words_of(asked)
    return Guess(
        item=item,
        field=asked.field,
        index=(0, *asked.cell),
        prompt=prompt,
        invite=invite,
        answer=next(option.label for option in options if option.right),
        options=options,
        revealed=tuple(wrong),
        number=right if isinstance(right, float) else None,
        tolerance=asked.tolerance if isinstance(right, float) else 0.0,
    )


def _array(asked: AskedItem, misconception: str) -> Array | None:
    if misconception == "word-alone" and asked.field == "inputs":
        return asked.words
    return believed_array(asked.trace, asked.field, misconception)


def _is_idle(asked: AskedItem, right: Answer) -> bool:
    """Whether there is nothing to ask: the number is not finite, the step does not compute it
    alone, or word and position are not known apart.
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
