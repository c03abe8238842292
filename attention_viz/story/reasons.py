"""Parts of the sentences beside the picture of a step: numbers of now, and what can be tried."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attention_lab.guesses.ask import WHOLE
from attention_lab.heads.keys_read import read_row
from attention_lab.words.numbers import format_number, format_percent

from ..payload import JSON, largest_magnitude
from ..step_scene import Note
from .misplaced import short_quote
from .story_view import StoryView

PIN = "pin"  # the act that looks at another cell of the board, in reach on every board


def told(value: float, digits: int = 3, among: float = 0.0) -> str:
    """A number as sentences tell it: a whole one has no decimals.

    >>> [told(n) for n in (14.0, 0.99361, 1 - 1e-15)]
    ['14', '0.994', '1']
    """
    if math.isfinite(value) and abs(value - round(value)) < WHOLE:
        return format_number(float(round(value)), 0, among)
    return format_number(value, digits, among)


def asking(view: StoryView) -> str:
    """The query in focus in quotation marks."""
    return short_quote(view.trace.labels("T"), view.focus.query)


def asked(view: StoryView) -> str:
    """The key in focus in quotation marks."""
    return short_quote(view.trace.labels("S"), view.focus.key)


def number_in_focus(view: StoryView, board: JSON) -> str:
    """The number in the cell of a board, which is one of the trace."""
    array = getattr(view.trace, board["cell"]["array"])
    return told(float(array[tuple(board["cell"]["index"])]), among=largest_magnitude(array))


def largest_other(numbers: Sequence[float], here: int) -> int:
    """The place of the largest number but for the one that is looked at; that one if it is alone.

    >>> largest_other([1, 5, 3], 1)
    2
    """
    others = [place for place in range(len(numbers)) if place != here]
    return max(others, key=lambda place: numbers[place], default=here)


def another_cell(text: str, board: JSON, axis: int, place: int | None = None) -> tuple[Note, ...]:
    """Looking at another cell of the array in focus; nothing if there is no such one. place: along
    the axis; None for the next one of those that were sent.
    """
    cell = board["cell"]
    index, array = list(cell["index"]), board["arrays"][cell["array"]]
    start, length = array.get("start", [0] * len(index))[axis], array["shape"][axis]
    if place is None:
        place = start + (index[axis] - start + 1) % length
    if place == index[axis] or not start <= place < start + length:
        return ()
    index[axis] = place
    return (Note(text, "Look at it", PIN, {"array": cell["array"], "index": index}),)


def another_head(view: StoryView, text: str) -> tuple[Note, ...]:
    """The next head; nothing if there is one alone."""
    n_heads = view.trace.sizes["H"]
    if n_heads == 1:
        return ()
    head = (view.focus.head + 1) % n_heads
    return (Note(text, f"Head {head}", "head", head),)


def another_matrix(now: str, *all_of_them: str) -> tuple[Note]:
    """The next one of queries, keys and values."""
    there = all_of_them[(all_of_them.index(now) + 1) % len(all_of_them)]
    says = f"The same step makes {there}, too: compare their numbers with these."
    return (Note(says, there.capitalize(), "which", there),)


def longer(view: StoryView) -> tuple[Note]:
    """What is left to try where the picture has one cell alone."""
    n_tokens = view.trace.sizes["T"] + 1
    says = f"A sequence of length {n_tokens} has more numbers to compare."
    return (Note(says, f"Length {n_tokens}", "n_tokens", n_tokens),)


def elsewhere(view: StoryView, board: JSON) -> tuple[Note, ...]:
    """Another cell of a matrix of scores or shares."""
    return (
        another_cell("Another key of the same query has a number of its own.", board, -1)
        or another_cell("Another query has numbers of its own.", board, -2)
        or another_head(view, "The next head has numbers of its own.")
        or longer(view)
    )


def what_is_read(view: StoryView) -> str:
    """From which key the query in focus reads most, without a full stop."""
    row = read_row(view.trace, view.focus.head, view.focus.query, 1)
    if not row.strongest:
        return f"{asking(view)} sees no key: its shares are all 0"
    key, share = row.strongest[0]
    read = short_quote(view.trace.labels("S"), key)
    if row.tied > 1:
        read = f"each of {row.tied} tokens"
    return f"{asking(view)} reads {format_percent(share)} from {read}"
