"""Where numbers lie on their way through split and merge, and which go astray when the swap is
forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, as_list, check_switch, short_repr, whole_number
from attention_core.errors import ShapeError
from attention_core.formulas import merge_heads, split_heads
from attention_core.head_blocks import check_places
from attention_core.limits import check_room
from attention_core.trace import Trace


def split_without_swap(fused: Array, n_heads: int) -> Array:
    """The classic mistake in the split: reshape straight to (B, H, T, K). Right shape, numbers
    of the wrong tokens.
    """
    shape = split_heads(fused, n_heads).shape
    return np.asarray(fused).reshape(shape)


def merge_without_swap(heads_BHTV: Array) -> Array:
    """The classic mistake in the merge: reshape straight to (B, T, H*V). Right shape, tokens
    and heads mixed up.
    """
    shape = merge_heads(heads_BHTV).shape
    return np.asarray(heads_BHTV).reshape(shape)


def moved_cells(trace: Trace, batch: int = 0) -> Array:
    """Which cells of the merged matrix would hold another number if the heads were reshaped without
    the swap.

    Shapes: (T, H*V) bool.
    """
    check_places(trace, batch=batch)
    moved: Array = merge_without_swap(trace.head_outputs)[batch] != trace.merged[batch]
    return moved


def place_merged(
    trace: Trace, head: int, query: int, feature: int, swap: bool = True
) -> tuple[int, int]:
    """The row and column of the merged matrix where head_outputs[head, query, feature] lands, with
    or without the swap.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0, 2.0], [3.0, 4.0]], Projections.weightless(2, n_heads=2))
    >>> place_merged(trace, 0, 1, 0), place_merged(trace, 0, 1, 0, swap=False)
    ((1, 0), (0, 1))
    """
    check_places(trace, head=head, query=query, feature=feature)
    check_switch("swap", swap)
    d_v, width = trace.sizes["V"], trace.merged.shape[2]
    if swap:
        return query, head * d_v + feature
    row, column = divmod((head * trace.sizes["T"] + query) * d_v + feature, width)
    return row, column


def foreign_cells(n_tokens: int, n_heads: int, width: int) -> Array:
    """Where `split_without_swap` puts a number of another token than the row says. Shapes: (H, T,
    width) bool.

    With one head, or one token, there is nothing to swap, and no cell is wrong.

    >>> foreign_cells(n_tokens=2, n_heads=2, width=1).tolist()
    [[[False], [True]], [[True], [False]]]
    """
    sizes = {"n_tokens": n_tokens, "n_heads": n_heads, "width": width}
    check_room(**{name: whole_number(name, size, 1) for name, size in sizes.items()})
    token_T1 = np.arange(n_tokens)[:, np.newaxis]
    origin_1TF = np.broadcast_to(token_T1, (n_tokens, n_heads * width))[np.newaxis]
    foreign_HTF: Array = split_without_swap(origin_1TF, n_heads)[0] != token_T1
    return foreign_HTF


@dataclass(frozen=True)
class Astray:
    """A number that a reshape without the swap puts into another token's row.

    head, token, feature: where it belongs among the heads; row: the token in whose row it stands.
    """

    head: int
    token: int
    feature: int
    row: int


def astray(heads_HTF: Array, head: int, token: int, feature: int, *, split: bool) -> Astray | None:
    """A number that the forgotten swap puts elsewhere: the one asked for, or the next one of its
    head, or of the others; None where none goes astray. Best is one that meets another number.

    Shapes: (H, T, F), right as it is. split: whether the wide matrix is cut, or the heads are laid
    side by side.

    >>> astray(np.arange(4.0).reshape(2, 2, 1), 0, 1, 0, split=False)
    Astray(head=0, token=1, feature=0, row=0)
    """
    n_heads, n_tokens = heads_HTF.shape[:2]
    fallback = None
    for other in [head, *(h for h in range(n_heads) if h != head)]:
        for one in [token, *(t for t in range(n_tokens) if t != token)]:
            piece = one * n_heads + other if split else other * n_tokens + one
            there = divmod(piece, n_tokens) if split else divmod(piece, n_heads)[::-1]
            if there[1] == one:
                continue
            found = Astray(other, one, feature, there[1])
            if heads_HTF[there][feature] != heads_HTF[other, one, feature]:
                return found
            fallback = fallback or found
    return fallback


@dataclass(frozen=True)
class SplitPlaces:
    """Where one number lies before the split, after the reshape, after the swap, and if the
    swap is forgotten.
    """

    fused: tuple[int, int, int]
    reshaped: tuple[int, int, int, int]
    swapped: tuple[int, int, int, int]
    unswapped: tuple[int, int, int, int]


def split_places(
    shape_BHTF: tuple[int, ...], head: int, token: int, feature: int, batch: int = 0
) -> SplitPlaces:
    """The indices of one number on its way through the split. shape_BHTF: that of the result.

    >>> split_places((1, 2, 3, 4), head=1, token=0, feature=2)
    SplitPlaces(fused=(0, 0, 6), reshaped=(0, 0, 1, 2), swapped=(0, 1, 0, 2),
                unswapped=(0, 0, 1, 2))
    """
    shape = as_list("shape_BHTF", shape_BHTF)
    if len(shape) != 4:
        raise ShapeError(
            f"shape_BHTF is {short_repr(shape_BHTF)} but must have four sizes: batch, heads,"
            " tokens, features"
        )
    n_batch, n_heads, n_tokens, width = (whole_number("shape_BHTF", size, 1) for size in shape)
    for name, place, size in (
        ("batch", batch, n_batch),
        ("head", head, n_heads),
        ("token", token, n_tokens),
    ):
        whole_number(name, place, 0, size - 1)
    whole_number("feature", feature, 0, width - 1)
    flat = (token * n_heads + head) * width + feature
    other = (flat // (n_tokens * width), flat // width % n_tokens, flat % width)
    return SplitPlaces(
        (batch, token, head * width + feature),
        (batch, token, head, feature),
        (batch, head, token, feature),
        (batch, *other),
    )
