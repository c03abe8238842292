"""Where numbers lie on their way through split and merge, and which land in a wrong place when the
swap is forgotten.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import merge_heads, split_heads
from attention_core.numbers import check_room
from attention_core.trace import Trace


def split_without_swap(fused: Array, n_heads: int) -> Array:
    """The classic mistake in the split: reshape directly to (B, H, T, K). The shape is right, but
    numbers of other tokens stand in a row.
    """
    shape = split_heads(fused, n_heads).shape
    return np.asarray(fused).reshape(shape)


def merge_without_swap(heads_BHTV: Array) -> Array:
    """The classic mistake in the merge: reshape directly to (B, T, H*V). The shape is right, but
    tokens and heads are mixed up.
    """
    shape = merge_heads(heads_BHTV).shape
    return np.asarray(heads_BHTV).reshape(shape)


def wrong_merged_cells(trace: Trace) -> Array:
    """Which cells of the merged matrix would hold another number without the swap.

    Shapes: (T, H*V) bool.
    """
    moved: Array = merge_without_swap(trace.head_outputs)[0] != trace.merged[0]
    return moved


def merged_position(
    trace: Trace, head: int, query: int, feature: int, swap: bool = True
) -> tuple[int, int]:
    """The row and column of the merged matrix in which head_outputs[head, query, feature] lands,
    with or without the swap.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0, 2.0], [3.0, 4.0]], Projections.weightless(2, n_heads=2))
    >>> merged_position(trace, 0, 1, 0), merged_position(trace, 0, 1, 0, swap=False)
    ((1, 0), (0, 1))
    """
    d_v, width = trace.sizes["V"], trace.merged.shape[2]
    if swap:
        return query, head * d_v + feature
    row, column = divmod((head * trace.sizes["T"] + query) * d_v + feature, width)
    return row, column


def wrong_token_cells(n_tokens: int, n_heads: int, width: int) -> Array:
    """The cells in which `split_without_swap` puts a number of another token. Shapes: (H, T, width)
    bool.

    With one head, or one token, there is nothing to swap, and no cell is wrong.

    >>> wrong_token_cells(n_tokens=2, n_heads=2, width=1).tolist()
    [[[False], [True]], [[True], [False]]]
    """
    check_room(n_tokens=n_tokens, n_heads=n_heads, width=width)
    token_T1 = np.arange(n_tokens)[:, np.newaxis]
    origin_1TF = np.broadcast_to(token_T1, (n_tokens, n_heads * width))[np.newaxis]
    foreign_HTF: Array = split_without_swap(origin_1TF, n_heads)[0] != token_T1
    return foreign_HTF


@dataclass(frozen=True)
class MisplacedNumber:
    """A number that a reshape without the swap puts in another token's row.

    head, token, feature: its right place among the heads. row: the token in whose row it lands.
    """

    head: int
    token: int
    feature: int
    row: int


def find_misplaced(
    heads_HTF: Array, head: int, token: int, feature: int, *, split: bool
) -> MisplacedNumber | None:
    """A number that lands in a wrong row when the swap is forgotten: the given one, or else another
    of its head, or of another head; None if none does. One whose new place held another number is
    preferred.

    Shapes: (H, T, F), the right arrangement. split: True for the split, False for the merge.

    >>> find_misplaced(np.arange(4.0).reshape(2, 2, 1), 0, 1, 0, split=False)
    MisplacedNumber(head=0, token=1, feature=0, row=0)
    """
    n_heads, n_tokens = heads_HTF.shape[:2]
    fallback = None
    for other in [head, *(h for h in range(n_heads) if h != head)]:
        for one in [token, *(t for t in range(n_tokens) if t != token)]:
            piece = one * n_heads + other if split else other * n_tokens + one
            there = divmod(piece, n_tokens) if split else divmod(piece, n_heads)[::-1]
            if there[1] == one:
                continue
            misplaced = MisplacedNumber(other, one, feature, there[1])
            if heads_HTF[there][feature] != heads_HTF[other, one, feature]:
                return misplaced
            fallback = fallback or misplaced
    return fallback


@dataclass(frozen=True)
class SplitPositions:
    """The indices of one number before the split, after the reshape, after the swap, and after a
    reshape without the swap.
    """

    fused: tuple[int, int, int]
    reshaped: tuple[int, int, int, int]
    swapped: tuple[int, int, int, int]
    unswapped: tuple[int, int, int, int]


def split_positions(
    shape_BHTF: tuple[int, ...], head: int, token: int, feature: int, batch: int = 0
) -> SplitPositions:
    """The indices of one number on its way through the split. shape_BHTF: the shape of the result.

    >>> split_positions((1, 2, 3, 4), head=1, token=0, feature=2)
    SplitPositions(fused=(0, 0, 6), reshaped=(0, 0, 1, 2), swapped=(0, 1, 0, 2),
                unswapped=(0, 0, 1, 2))
    """
    _, n_heads, n_tokens, width = shape_BHTF
    flat = (token * n_heads + head) * width + feature
    other = (flat // (n_tokens * width), flat // width % n_tokens, flat % width)
    return SplitPositions(
        (batch, token, head * width + feature),
        (batch, token, head, feature),
        (batch, head, token, feature),
        (batch, *other),
    )
