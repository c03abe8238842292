"""The options of a question: the right answer, those of the misconceptions, and others that fill
up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from .answers import SAME, Answer, AskedItem, answer, is_same_answer, other_shapes, pair_of
from .prompts import token_name
from .record import Option

MAX_OPTIONS = 4


def options_of(asked: AskedItem, right: Answer, wrong: Mapping[str, Answer]) -> tuple[Option, ...]:
    """Up to four options in an order that gives nothing away.

    wrong: by misconception the answer of who believes it. Two beliefs with one answer share an
    option.
    """
    found: list[tuple[Answer, tuple[str, ...]]] = [(right, ())]
    for name, given in wrong.items():
        same = next((i for i, (a, _) in enumerate(found) if is_same_answer(asked, a, given)), None)
        if same is None and len(found) < MAX_OPTIONS:
            found.append((given, (name,)))
        elif same is not None:
            found[same] = (found[same][0], (*found[same][1], name))
    for given in _others(asked, right):
        if len(found) < MAX_OPTIONS and not any(is_same_answer(asked, a, given) for a, _ in found):
            found.append((given, ()))
    made = [_option(asked, given, names, given is right) for given, names in found]
    return tuple(_in_order(asked, made))


def format_answer(asked: AskedItem, given: Answer) -> str:
    """An answer as it is shown; of a picture see its option."""
    kind = asked.item.kind
    if isinstance(given, float):
        places = 0 if asked.item.asks == "row" else asked.places
        return f"{round(given, places) + 0.0:.{places}f}".replace("-", "−")
    if kind == "largest":
        return token_name(asked.trace, "S", int(str(given)))
    if kind == "grows":
        return _of_two(asked)[str(given)]
    return str(given)


def _option(asked: AskedItem, given: Answer, names: tuple[str, ...], right: bool) -> Option:
    if isinstance(given, tuple):
        return Option("", "", right, names, given)
    value = f"{given:.9g}" if isinstance(given, float) else given
    return Option(value, format_answer(asked, given), right, names)


def _in_order(asked: AskedItem, options: list[Option]) -> Iterable[Option]:
    """Numbers and keys by size, two of a kind in their own order, the rest turned by the cell."""
    kind = asked.item.kind
    if kind in ("number", "largest"):
        return sorted(options, key=lambda option: float(option.value))
    if kind == "sign":
        return sorted(options, key=lambda option: option.value, reverse=True)
    if kind == "grows":
        order = ["first", "second", SAME]
        return sorted(options, key=lambda option: order.index(option.value))
    turn = sum(asked.cell) % len(options)
    turned = options[turn:] + options[:turn]
    if kind == "shape":
        return turned
    return [
        replace(option, value=letter, label=f"picture {letter}")
        for letter, option in zip("ABCD", turned, strict=False)
    ]


def _others(asked: AskedItem, right: Answer) -> Iterable[Answer]:
    """Answers that nobody's belief gives."""
    kind = asked.item.kind
    if isinstance(right, float):
        return _other_numbers(asked, right)
    if kind == "largest":
        row = asked.values[asked.cell[:-1]]
        return [str(key) for key in np.argsort(-row, kind="stable") if np.isfinite(row[key])]
    if kind == "sign":
        return ["positive", "negative"]
    if kind == "grows":
        return ["first", "second", SAME]
    if kind == "shape":
        return other_shapes(asked.trace, asked.field)
    return _other_pictures(asked)


def _other_numbers(asked: AskedItem, right: float) -> list[float]:
    if asked.item.asks == "row":
        most = asked.values.shape[-1]
        return [float(n) for n in (most, right - 1, right + 1, 1) if 0 <= n <= most]
    row = asked.values[asked.cell[:-1]]
    first = [1 - right, right / 2] if asked.field == "probabilities" else [-right, 2 * right]
    return [*first, *(float(n) for n in row if np.isfinite(n))]


def _other_pictures(asked: AskedItem) -> Iterable[Answer]:
    """Those of other heads, then the right one with queries and keys exchanged."""
    n_heads = asked.values.shape[0]
    *_, query, key = asked.cell
    for head in range(n_heads):
        given = answer(replace(asked, cell=(head, query, key)), asked.values)
        if given is not None:
            yield given
    turned = answer(asked, asked.values.swapaxes(1, 2))
    if turned is not None and asked.values.shape[1] == asked.values.shape[2]:
        yield turned


def _of_two(asked: AskedItem) -> dict[str, str]:
    if asked.field == "scores":
        query, key = (
            token_name(asked.trace, letter, place)
            for letter, place in zip("TS", asked.cell[-2:], strict=True)
        )
        return {
            "first": f"{query} with {key}",
            "second": f"{key} with {query}",
            SAME: "both are the same",
        }
    best, least = (token_name(asked.trace, "S", place) for place in pair_of(asked))
    return {"first": best, "second": least, SAME: "neither"}
