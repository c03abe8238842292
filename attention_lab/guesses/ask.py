"""Questions on a trace: the cell, the options in order, and the answer of each misconception."""

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.initialisation import Stream, generator
from attention_core.trace import STEPS, Trace

from ..quiz import Option
from ..words.numbers import WHOLE
from .answers import (
    SAME,
    Answer,
    AskedItem,
    answer,
    believed_answer,
    has_one_vector,
    is_same_answer,
    other_shapes,
    pair_of,
    place_names,
    places_of,
    reads_slice_alone,
)
from .items import ITEMS, MISCONCEPTIONS, Guess, item_at

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
    if chosen not in trace.steps:
        raise SettingsError(
            f"This layer has no {STEPS[chosen].title}: switch its option on, or choose another"
            " question"
        )
    shape = getattr(trace, chosen).shape[1:]
    best: Guess | None = None
    asked = AskedItem(chosen_item, trace, chosen, (), words)
    for _ in range(MAX_TRIED_CELLS):
        guess = make_guess(asked.at(tuple(int(rng.integers(size)) for size in shape)))
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
    answers = {name: believed_answer(asked, name) for name in names}
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
        text=prompt,
        why=item.why,
        invite=invite,
        options=options,
        revealed=tuple(wrong),
        number=right if isinstance(right, float) else None,
        tolerance=asked.tolerance if isinstance(right, float) else 0.0,
    )


# What a reason rests on: that a head reads the whole vector of a token; that queries and keys
# differ; that the shares of a row sum to 1.
READS_ALL = ("projection-reads",)
TWO_VECTORS = ("scores-largest", "scores-both-ways")
SUMS_TO_1 = ("softmax-number", "softmax-picture")


def _is_idle(asked: AskedItem, right: Answer) -> bool:
    """Whether there is nothing to ask: the number is not finite, the step does not compute it
    alone, word and position are not known apart, or the reason does not hold in this layer.
    """
    item = asked.item.id
    if (item in READS_ALL and reads_slice_alone(asked)) or (
        item in TWO_VECTORS and has_one_vector(asked)
    ):
        return True
    if item in SUMS_TO_1 and asked.trace.sink is not None:
        return True
    if isinstance(right, float) and not math.isfinite(right):
        return True
    if asked.field == "scaled_scores" and asked.trace.softcap is not None:
        return True
    if asked.field == "output" and asked.trace.projections.w_o is None:
        return True
    return asked.item.id == "inputs-number" and (
        asked.words is None or bool(np.array_equal(asked.words, asked.values))
    )


MAX_OPTIONS = 4
# The values of these kinds in the order of their options.
IN_ORDER = {"sign": ("zero", "positive", "negative"), "grows": ("first", "second", SAME)}


def options_of(asked: AskedItem, right: Answer, wrong: Mapping[str, Answer]) -> tuple[Option, ...]:
    """Up to four options in an order that gives nothing away.

    wrong: the answer of each misconception. Misconceptions with the same answer share an option.
    """
    answers: list[tuple[Answer, list[str]]] = [(right, [])]
    # "" for an answer that no misconception gives
    given = [*wrong.items(), *(("", other) for other in _others(asked, right))]
    for name, wrong_answer in given:
        of_same = (names for other, names in answers if is_same_answer(asked, other, wrong_answer))
        believers = next(of_same, None)
        if believers is None and len(answers) < MAX_OPTIONS:
            believers = []
            answers.append((wrong_answer, believers))
        if believers is not None and name:
            believers.append(name)
    options = [_option(asked, one, tuple(names), one is right) for one, names in answers]
    return tuple(_in_order(asked, options))


def _format_answer(asked: AskedItem, answer: Answer) -> str:
    """The label of a number or a text."""
    if isinstance(answer, float):
        is_whole = abs(answer - round(answer)) < WHOLE
        decimals = 0 if is_whole else asked.decimals
        return f"{round(answer, decimals) + 0.0:.{decimals}f}".replace("-", "−")
    if asked.item.kind == "largest":
        return _token_name(asked.trace, "S", int(str(answer)))
    if asked.item.kind == "grows":
        return _pair_labels(asked)[str(answer)]
    return str(answer)


def _option(
    asked: AskedItem, answer: Answer, misconceptions: tuple[str, ...], right: bool
) -> Option:
    if isinstance(answer, tuple):
        return Option("", "", right, misconceptions, answer)
    value = f"{answer:.9g}" if isinstance(answer, float) else answer
    return Option(value, _format_answer(asked, answer), right, misconceptions)


def _in_order(asked: AskedItem, options: list[Option]) -> Iterable[Option]:
    """Numbers and keys by size, pairs in a fixed order, the rest rotated by the cell."""
    kind = asked.item.kind
    if kind in ("number", "largest", "sign", "grows"):
        place: Callable[[str], float] = IN_ORDER[kind].index if kind in IN_ORDER else float
        return sorted(options, key=lambda option: place(option.value))
    shift = sum(asked.cell) % len(options)
    rotated = options[shift:] + options[:shift]
    if kind in ("shape", "place"):
        return rotated
    return [
        replace(option, value=letter, label=f"picture {letter}")
        for letter, option in zip("ABCD", rotated, strict=False)
    ]


def _others(asked: AskedItem, right: Answer) -> Iterable[Answer]:
    """Wrong answers that no misconception gives; the right one may be among them."""
    kind = asked.item.kind
    if isinstance(right, float):
        return _other_numbers(asked, right)
    if kind == "largest":
        row = asked.values[asked.cell[:-1]]
        return [str(key) for key in np.argsort(-row, kind="stable") if np.isfinite(row[key])]
    if kind == "sign":
        return ["positive", "negative"]
    if kind == "grows":
        return IN_ORDER[kind]
    if kind == "place":
        return places_of(asked).values()
    if kind == "shape":
        return other_shapes(asked.trace, asked.field)
    return _other_pictures(asked)


def _other_numbers(asked: AskedItem, right: float) -> list[float]:
    if asked.item.asks == "row":
        n_keys = asked.values.shape[-1]
        return [float(n) for n in (n_keys, right - 1, right + 1, 1) if 0 <= n <= n_keys]
    row = asked.values[asked.cell[:-1]]
    first = [1 - right, right / 2] if asked.field == "probabilities" else [-right, 2 * right]
    return [*first, *(float(n) for n in row if np.isfinite(n))]


def _other_pictures(asked: AskedItem) -> Iterable[Answer]:
    """The pictures of other heads, then the right one with queries and keys swapped."""
    n_heads = asked.values.shape[0]
    *_, query, key = asked.cell
    for head in range(n_heads):
        picture = answer(asked.at((head, query, key)), asked.values)
        if picture is not None:
            yield picture
    swapped = answer(asked, asked.values.swapaxes(1, 2))
    if swapped is not None and asked.values.shape[1] == asked.values.shape[2]:
        yield swapped


def _pair_labels(asked: AskedItem) -> dict[str, str]:
    if asked.field == "scores":
        query = _token_name(asked.trace, "T", asked.cell[-2])
        key = _token_name(asked.trace, "S", asked.cell[-1])
        both = (f"{query} with {key}", f"{key} with {query}", "both are the same")
        return dict(zip(IN_ORDER["grows"], both, strict=True))
    best, least = (_token_name(asked.trace, "S", place) for place in pair_of(asked))
    return {"first": best, "second": least, SAME: "neither"}


def words_of(asked: AskedItem) -> tuple[str, str]:
    """The prompt, and the same in a few words, with the names of its cell filled in."""
    letters = STEPS[asked.field].letters[1:]
    at = dict(zip(letters, asked.cell, strict=True))
    names = {"field": STEPS[asked.field].title, "feature": _feature_name(asked)}
    for letter, name in (("T", "query"), ("S", "key"), ("H", "head"), ("G", "head")):
        if letter in at:
            names[name] = _token_name(asked.trace, letter, at[letter])
    names["token"] = names.get("query") or names.get("key", "")
    if asked.item.kind == "grows" and asked.field == "probabilities":
        best, least = pair_of(asked)
        names["key"], names["other"] = (_token_name(asked.trace, "S", n) for n in (best, least))
    if asked.item.kind == "place":
        names |= place_names(asked)
    names["under"] = _mask_name(asked.trace)
    return asked.item.prompt.format(**names), asked.item.invite.format(**names)


def _feature_name(asked: AskedItem) -> str:
    """The name of the cell's column, if it has one; else its number, with the heads side by side or
    within a head.
    """
    place = asked.cell[-1]
    if place < len(asked.columns) and any(map(str.isalpha, asked.columns[place])):
        return f"“{asked.columns[place]}”"
    is_wide = "·" in STEPS[asked.field].letters[-1]
    return f"{'number' if is_wide else 'feature'} {place}"


def _mask_name(trace: Trace) -> str:
    hidden = trace.hidden[0]
    if not hidden.any():
        return ""
    is_causal = bool((hidden == np.triu(np.ones(hidden.shape[1:], bool), 1)).all())
    return f" under this {'causal ' * is_causal}mask"


def _token_name(trace: Trace, letter: str, place: int) -> str:
    """A token in quotation marks, with its position if the word occurs more than once; a head as
    its number.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0], [2.0]], Projections.weightless(1)).labelled(("a", "a"))
    >>> _token_name(trace, "T", 1)
    '“a” (position 1)'
    """
    if letter in "HG":
        return str(place)
    labels = trace.labels(letter)
    if labels[place] == str(place):
        return f"token {place}"
    if labels.count(labels[place]) > 1:
        return f"“{labels[place]}” (position {place})"
    return f"“{labels[place]}”"
