"""The cell in focus: a head, a query, a key and a feature that the pages explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attention_core.trace import Trace, head_columns, head_of

from .heads.keys_read import strongest_keys
from .user_data.edits import MAX_INDEX

FOCUS_HELP = {
    "head": "Which head the pages look into.",
    "query": "The token that asks.",
    "key": "The token that is looked at.",
    "feature": "Which number of a vector is explained. A shorter vector shows its last number.",
}
FOCUS_AXES = {"H": "head", "T": "query", "S": "key"} | dict.fromkeys("KVDO", "feature")


@dataclass(frozen=True)
class Focus:
    """The places of the cell that the pages explain; each lies within the trace."""

    head: int
    query: int
    key: int
    feature: int

    def cell(self, rows: str, columns: str) -> tuple[int, int, int]:
        """Head, row and column of the cell. rows, columns: names of places, such as query, key."""
        return self.head, getattr(self, rows), getattr(self, columns)

    def inside(self, trace: Trace) -> Focus:
        """The same places; one beyond the trace becomes the last one."""
        lengths = focus_lengths(trace)
        return Focus(**{name: min(getattr(self, name), n - 1) for name, n in lengths.items()})

    def in_head(self, trace: Trace, head: int) -> Focus:
        """The same query in another head, at the key from which it reads most there; if it sees no
        key, the key stays.
        """
        keys = [key for key, _ in strongest_keys(trace, head, self.query, count=1)]
        return replace(self, head=head, key=keys[0] if keys else self.key)

    def within(self, trace: Trace, field: str) -> Focus:
        """The same places; a feature beyond one head's width of a field becomes its last one."""
        width = trace.sizes[trace.axes(field)[-1].split("·")[-1]]
        return replace(self, feature=min(self.feature, width - 1))

    def column(self, trace: Trace, field: str) -> int:
        """The column of a field that has the feature; if heads lie side by side, in the block of
        the head.
        """
        place = self.within(trace, field).feature
        if "·" in trace.axes(field)[-1]:
            place += head_columns(trace, field, self.head).start
        return place

    def index(self, trace: Trace, field: str) -> tuple[int, ...]:
        """The cell of a field in focus, in the first sequence. Where heads share keys or values, it
        is that of the head's group.
        """
        places = {"B": 0, "T": self.query, "S": self.key, "H": self.head}
        places["G"] = head_of(trace, field, self.head)
        column = self.column(trace, field)
        return tuple(places.get(letter, column) for letter in trace.axes(field))


def focus_lengths(trace: Trace) -> dict[str, int]:
    """The number of places of the focus, by name."""
    sizes = trace.sizes
    widest = max(sizes["K"], sizes["V"], sizes["D"], sizes["O"])
    return {"head": sizes["H"], "query": sizes["T"], "key": sizes["S"], "feature": widest}


def moved_places(axes: Sequence[tuple[str, int | None]], index: Sequence[int]) -> dict[str, int]:
    """The places of the focus that a cell of an array moves, by name.

    axes: each axis letter, and the width of a head if heads lie side by side. Axes of batches and
    of shared heads move nothing.

    >>> moved_places([("B", None), ("T", None), ("H·K", 4)], (0, 3, 6))
    {'query': 3, 'head': 1, 'feature': 2}
    """
    moved: dict[str, int] = {}
    for (letter, block), number in zip(axes, index, strict=True):
        if block:
            moved["head"], moved["feature"] = divmod(number, block)
        elif letter in FOCUS_AXES:
            moved[FOCUS_AXES[letter]] = number
    return {name: min(number, MAX_INDEX) for name, number in moved.items()}
