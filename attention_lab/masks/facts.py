"""What the pages about masks and changes say: for each page one record of facts, from which its
sentences take their values.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_core import STEPS, Trace

from ..compare import LargestChange, TwoLayers, largest_change
from ..words.numbers import Case, Change, Count, Number, Points, Share
from .hiding import hidden_by
from .mask_workshop import MaskedBatch

NO_MOVE = 1e-12  # of a query's attention: rounding


@dataclass(frozen=True)
class LargestFacts:
    """The cell that changes most on the board. query, key, feature: where it is; of a shuffled
    sequence query and key are places of the first order, and `row`, `column` those of the new one.
    """

    title: str
    row: int
    column: int
    before: Share | Number
    after: Share | Number
    change: Points | Change


@dataclass(frozen=True)
class ChangesFacts:
    """*What changes?* outcome: "widths" if the outputs have other widths, those after and before;
    "same", "rounding" or "moved", by the gap. largest: None if no number of the head changes.
    moved: the attention that the head moves. most_in, most: the head that moves most, and what it
    moves; None if there is one head, or none moves any. row: of the query in focus of the changed
    layer, and row_sum: of its shares there.
    """

    outcome: Case
    widths: tuple[Count, Count] | None
    gap: Number | None
    largest: LargestFacts | None
    head: Count
    moved: Share
    most_in: Count | None
    most: Share | None
    row: int
    row_sum: Number


def largest_of(two: TwoLayers, field: str, head: int) -> LargestChange | None:
    """The cell of a head that changes most in a field; None if none does."""
    return largest_change(*two.matrices(field, head), two.rounding(field))


def changes_facts(two: TwoLayers, field: str, head: int, query: int) -> ChangesFacts:
    """What *What changes?* says of two layers. field: on the board."""
    widths, outcome = None, "same"
    gap = two.gap("output") if two.before.output.shape == two.after.output.shape else 0.0
    if two.before.output.shape != two.after.output.shape:
        widths, outcome = (Count(two.after.sizes["O"]), Count(two.before.sizes["O"])), "widths"
    elif two.differs("output"):
        outcome = "moved"
    elif gap:
        outcome = "rounding"
    moves = [two.moved_share(each) for each in range(two.before.sizes["H"])]
    most = int(np.argmax(moves))
    several = len(moves) > 1 and moves[most] > NO_MOVE
    row = two.order.index(query) if two.order else query
    row_S = two.after.probabilities[0, two.head_beside(head), row]
    return ChangesFacts(
        outcome=Case(outcome),
        widths=widths,
        gap=Number(gap) if outcome == "moved" else None,
        largest=_largest(two, field, head),
        head=Count(head),
        moved=Share(moves[head]),
        most_in=Count(most) if several else None,
        most=Share(moves[most]) if several else None,
        row=row,
        row_sum=Number(row_S.sum()),
    )


def _largest(two: TwoLayers, field: str, head: int) -> LargestFacts | None:
    moved = largest_of(two, field, head)
    if moved is None:
        return None
    place, change = (moved.row, moved.column), moved.after - moved.before
    if STEPS[field].kind == "probability":
        shares = Share(moved.before), Share(moved.after)
        return LargestFacts(STEPS[field].title, *place, *shares, Points(change))
    numbers = Number(moved.before), Number(moved.after)
    return LargestFacts(STEPS[field].title, *place, *numbers, Change(change))


@dataclass(frozen=True)
class WorkshopFacts:
    """*Mask workshop*: the sequence and the head in focus; which masks hide the chosen key from the
    chosen query, or the share that it gets.
    """

    sequence: Count
    head: Count | None
    hidden_by: tuple[str, ...]
    share: Share | None


def workshop_facts(masked: MaskedBatch, head: int, cell: tuple[int, int, int]) -> WorkshopFacts:
    """What *Mask workshop* says of a cell: sequence, query and key."""
    n, query, key = cell
    if by := hidden_by(masked.masks, query, key, n):
        return WorkshopFacts(Count(n), None, by, None)
    share = Share(masked.trace.probabilities[n, head, query, key])
    return WorkshopFacts(Count(n), Count(head), (), share)


@dataclass(frozen=True)
class UsesFacts:
    """*Encoder, decoder, cross*. hidden: for each use the hidden cells, and all. head, share: what
    the query in focus gives the key in the head in focus; None if the key is hidden from it.
    """

    hidden: dict[str, tuple[Count, Count]]
    head: Count | None
    share: Share | None


def uses_facts(
    traces: Mapping[str, Trace], use: str, head: int, cell: tuple[int, int]
) -> UsesFacts:
    """What *Encoder, decoder, cross* says of a cell of a use: query and key."""
    hidden = {name: one.hidden[0, head] for name, one in traces.items()}
    share = None if hidden[use][cell] else Share(traces[use].probabilities[(0, head, *cell)])
    return UsesFacts(
        hidden={name: (Count(one.sum()), Count(one.size)) for name, one in hidden.items()},
        head=None if share is None else Count(head),
        share=share,
    )
