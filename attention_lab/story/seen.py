"""The facts of the sentences beside the picture of a step: what is seen at the cell in focus, and
what else is worth a look.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from ..block import Block
from ..focus import Focus
from ..next_token import NextToken
from ..words.numbers import Count, Told


@dataclass(frozen=True)
class CellSeen:
    """The number of a cell. other: along the last axis the place of the number that is farthest
    from 0 among all others; its own if it is alone.
    """

    number: Told
    other: int


def cell_seen(trace: Trace, field: str, index: Sequence[int]) -> CellSeen:
    """What is seen at a cell of a field."""
    array = getattr(trace, field)
    row, here = np.abs(array[tuple(index[:-1])]), index[-1]
    largest = float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) or 1.0
    return CellSeen(Told(array[tuple(index)], among=largest), largest_other(row, here))


def largest_other(numbers: Sequence[float] | Array, here: int) -> int:
    """The place of the largest number but for the one that is looked at; that one if it is alone.

    >>> largest_other([1, 5, 3], 1)
    2
    """
    others = [place for place in range(len(numbers)) if place != here]
    return max(others, key=lambda place: numbers[place], default=here)


@dataclass(frozen=True)
class ScoresSeen:
    """The scores of the query in focus. low, high: between which all lie; other: the key with the
    largest one beside the key in focus, and most: that score.
    """

    low: Told
    high: Told
    other: int
    most: Told


def scores_seen(trace: Trace, focus: Focus) -> ScoresSeen:
    """What is seen of a row of scores."""
    row_S = trace.scores[0, focus.head, focus.query]
    other = largest_other(row_S, focus.key)
    return ScoresSeen(Told(row_S.min()), Told(row_S.max()), other, Told(row_S[other]))


@dataclass(frozen=True)
class KeysSeen:
    """Of n_keys, the keys that the query in focus sees; of n_cells of its head, those that the mask
    hides.
    """

    n_seen: Count
    n_keys: Count
    n_hidden: Count
    n_cells: Count


def keys_seen(trace: Trace, head: int, query: int) -> KeysSeen:
    """What is seen of a mask."""
    hidden_T, n_keys = trace.hidden_keys[0, head], trace.sizes["S"]
    return KeysSeen(
        Count(n_keys - int(hidden_T[query])),
        Count(n_keys),
        Count(hidden_T.sum()),
        Count(trace.sizes["T"] * n_keys),
    )


@dataclass(frozen=True)
class BlockSeen:
    """A number as it leaves a block, and as it went in; None if the block changes the width, so
    that no number that goes in is this one.
    """

    after: Told
    before: Told | None


def block_seen(block: Block, query: int, feature: int) -> BlockSeen:
    """What is seen of a number of a block."""
    before = None
    if block.inputs.shape == block.output.shape:
        before = Told(block.inputs[query, feature])
    return BlockSeen(Told(block.output[query, feature]), before)


@dataclass(frozen=True)
class NextSeen:
    """The logit of the piece that is shown first, a sum of n_parts; the head that adds most of the
    heads to it, and what it adds.
    """

    logit: Told
    n_parts: Count
    head: Count
    added: Told


def next_seen(next_token: NextToken) -> NextSeen:
    """What is seen of the next token."""
    piece, n_heads = next_token.shown[0], next_token.run.traces[next_token.layer].sizes["H"]
    added_N = next_token.parts @ next_token.run.decoder.unembedding[piece]
    head = int(added_N[1 : 1 + n_heads].argmax())
    return NextSeen(
        Told(next_token.run.logits[next_token.position, piece]),
        Count(len(next_token.part_names)),
        Count(head),
        Told(added_N[1 + head]),
    )
