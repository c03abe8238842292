"""The split into heads, stage by stage: reshape, then swap, and beside it what the swap is there to prevent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from attention_core import STEPS, Trace, merge_heads
from attention_core.checks import Array
from attention_core.decompositions import split_without_swap
from attention_core.heads import head_of
from attention_core.places import split_places

from .board import Board, arrow, assembled, heat, outline, row_ticks, spots
from .heatmap import limit_of
from .labels import number
from .parts import MOST_CLICKABLE, Part, broken_line, clicks, word
from .theme import HUES, Figure, role
from .tiles import row_labels

FUSED = {field: STEPS[field].needs for field in ("query_heads", "key_heads", "value_heads")}
MOST_TOKENS, MOST_HEADS, MOST_FEATURES = 16, 8, 16
LEFTS, WIDTHS = (0.0, 34.0, 68.0, 87.0), (28.0, 29.0, 12.0, 12.0)
TOP = 52.0


@dataclass(frozen=True)
class Window:
    """Which tokens, heads and features of a large field are drawn: from the first up to, not including, the second."""

    tokens: tuple[int, int]
    heads: tuple[int, int]
    features: tuple[int, int]

    def cut(self, heads_HTF: Array) -> Array:
        """The part of (heads, tokens, features) that is drawn."""
        cut: Array = heads_HTF[slice(*self.heads), slice(*self.tokens), slice(*self.features)]
        return cut

    def cuts(self, shape_BHTF: tuple[int, ...]) -> bool:
        """Whether a field of this shape is drawn in part only."""
        stretches = (self.heads, self.tokens, self.features)
        return any(last - first < n for (first, last), n in zip(stretches, shape_BHTF[1:], strict=True))

    def says(self, shape_BHTF: tuple[int, ...]) -> str:
        """What is drawn, in words."""
        named = zip(("heads", "tokens", "features"), (self.heads, self.tokens, self.features), strict=True)
        parts = [f"{name} {first} to {last - 1}" for name, (first, last) in named]
        whole = zip(parts, shape_BHTF[1:], strict=True)
        return ", ".join(f"{part} of {n}" for part, n in whole)


def window_of(trace: Trace, field: str, head: int, token: int, feature: int) -> Window:
    """Everything where it is little; else a part that holds the cell in focus."""
    n_heads, n_tokens, width = getattr(trace, field).shape[1:]
    return Window(
        _around(token, n_tokens, MOST_TOKENS),
        _around(head_of(trace, field, head), n_heads, MOST_HEADS),
        _around(feature, width, MOST_FEATURES),
    )


def split_stages(trace: Trace, field: str, head: int, token: int, feature: int) -> Figure:
    """Fused, reshaped, swapped, and reshaped without the swap: the hue is the head a number belongs to.

    field: query_heads, key_heads or value_heads. The number in focus is framed in all four. Clicked points carry
    (head, token, feature).
    """
    right = getattr(trace, field)
    n_heads = right.shape[1]
    group = head_of(trace, field, head)
    window = window_of(trace, field, head, token, feature)
    owner = np.broadcast_to(np.arange(n_heads)[:, None, None], right.shape[1:])
    stages = (
        (window.cut(right[0]), window.cut(owner)),
        (window.cut(split_without_swap(getattr(trace, FUSED[field]), n_heads)[0]), window.cut(_unswapped(owner))),
    )
    n_shown, n_tokens, _ = stages[0][0].shape
    height = float(min(520, max(150, 11 * n_shown * n_tokens)))
    limit = limit_of(trace, field)
    columns = [
        _beside(*stages[0], limit, LEFTS[0], WIDTHS[0], height, 0.0),
        _beside(*stages[0], limit, LEFTS[1], WIDTHS[1], height, 1.2),
        _stacked(*stages[0], limit, LEFTS[2], WIDTHS[2], height),
        _stacked(*stages[1], limit, LEFTS[3], WIDTHS[3], height),
    ]
    data = [part for boards in columns for board in boards for part in heat(board)]
    data += _clicks(trace, field, window, columns[:3])
    here = (group - window.heads[0], token - window.tokens[0], feature - window.features[0])
    shapes = [outline(board, "@line") for boards in columns for board in boards]
    shapes += [
        outline(boards[here[0]], "@focus", 2.5, rows=(here[1], here[1] + 1), columns=(here[2], here[2] + 1))
        for boards in columns[:3]
    ]
    shapes += _astray(trace, field, window, columns[3], (group, token, feature))
    fence = (LEFTS[2] + WIDTHS[2] + LEFTS[3]) / 2  # between what is right and what is wrong
    shapes.append(broken_line(fence, TOP - 14, fence, TOP + height + 6, "@muted", 1, "dash"))
    labels = row_labels(trace, field)[slice(*window.tokens)]
    words = _words(trace, field, columns, window)
    ticks = row_ticks(columns[0][0], labels)
    return assembled(data, shapes, words, TOP + height + 8, _describe(field, right), ticks)


def _around(place: int, length: int, most: int) -> tuple[int, int]:
    """A stretch of at most so many places that holds the given one."""
    first = min(max(0, place - most // 2), max(0, length - most))
    return first, min(length, first + most)


def _unswapped(owner_HTF: Array) -> Array:
    """Whose numbers lie where, if the swap is left out."""
    unswapped_HTF: Array = split_without_swap(merge_heads(owner_HTF[np.newaxis]), len(owner_HTF))[0]
    return unswapped_HTF


def _hued(values: Array, owner: Array, limit: float) -> Array:
    """Values as places on the scale of heads: the whole part is the head's hue, the rest the number's strength."""
    hued: Array = owner % len(HUES) + 0.005 + 0.98 * (values / limit + 1) / 2
    return hued


def _beside(
    values_HTF: Array, owner_HTF: Array, limit: float, left: float, width: float, height: float, gap: float
) -> list[Board]:
    """One matrix per head, side by side; without a gap they are the fused matrix."""
    n_heads = len(values_HTF)
    one = (width - gap * (n_heads - 1)) / n_heads
    return [
        Board(_hued(v, o, limit), left + h * (one + gap), TOP, one, height, "heads", len(HUES))
        for h, (v, o) in enumerate(zip(values_HTF, owner_HTF, strict=True))
    ]


def _stacked(
    values_HTF: Array, owner_HTF: Array, limit: float, left: float, width: float, height: float
) -> list[Board]:
    """One matrix per head, one below the other: the head has become the first axis."""
    n_heads, gap = len(values_HTF), 8.0
    one = (height - gap * (n_heads - 1)) / n_heads
    return [
        Board(_hued(v, o, limit), left, TOP + h * (one + gap), width, one, "heads", len(HUES))
        for h, (v, o) in enumerate(zip(values_HTF, owner_HTF, strict=True))
    ]


def _astray(
    trace: Trace, field: str, window: Window, boards: Sequence[Board], place: tuple[int, int, int]
) -> list[Part]:
    """The frame of the number in focus where it lands without the swap, if that is in the window."""
    _, head, token, feature = split_places(getattr(trace, field).shape, *place).unswapped
    inside = all(
        low <= at < high
        for at, (low, high) in zip((head, token, feature), (window.heads, window.tokens, window.features), strict=True)
    )
    if not inside:
        return []
    row, column = token - window.tokens[0], feature - window.features[0]
    board = boards[head - window.heads[0]]
    return [outline(board, "@focus", 2.5, rows=(row, row + 1), columns=(column, column + 1))]


def _words(trace: Trace, field: str, columns: Sequence[Sequence[Board]], window: Window) -> list[Part]:
    """The stages' names and axes, the arrows between them, and the heads' numbers."""
    _, head, token, width = trace.axes(field)
    harmless = 1 in getattr(trace, field).shape[1:3]
    titles = (
        ("1 fused", f"({token}, {head}·{width})", role(field)),
        ("2 reshape", f"({token}, {head}, {width})", role(field)),
        ("3 swap", f"({head}, {token}, {width})", role(field)),
        ("no swap" if harmless else "✗ wrong", f"({head}, {token}, {width})", "@text"),
    )
    words: list[Part] = []
    for (title, axes, color), left, wide in zip(titles, LEFTS, WIDTHS, strict=True):
        x, anchor = (100.0, "right") if left == LEFTS[-1] else (left + wide / 2, "center")
        words.append(word(x, 9, f"<b>{title}</b>", color, anchor))
        words.append(word(x, 25, axes, "@muted", anchor, 11))
    for left in (LEFTS[0] + WIDTHS[0], LEFTS[1] + WIDTHS[1]):
        words.append(arrow(left + 0.4, 17, left + 4.8, 17))
    for board, place in zip(columns[1], range(*window.heads), strict=True):
        words.append(word(board.centre[0], TOP - 9, str(place), "@muted", size=10))
    for board, place in zip(columns[2], range(*window.heads), strict=True):
        words.append(word(board.left - 0.6, board.centre[1], str(place), "@muted", "right", 10))
    return words


def _describe(field: str, heads: Array) -> str:
    _, n_heads, n_tokens, width = heads.shape
    return (
        f"The split of {FUSED[field]} in four pictures: fused, {n_tokens} by {n_heads * width}; reshaped into "
        f"{n_heads} blocks; swapped into {n_heads} matrices of {n_tokens} by {width}; and reshaped without the swap, "
        "which is wrong."
    )


def _clicks(trace: Trace, field: str, window: Window, columns: Sequence[Sequence[Board]]) -> list[Part]:
    """Places to click on the cells of the three right stages, or of the first one where they are many."""
    array, labels = getattr(trace, field)[0], row_labels(trace, field)
    n_cells = window.cut(array).size

    def tell(head: int, row: int, column: int) -> tuple[tuple[int, int, int], str]:
        token, feature = row + window.tokens[0], column + window.features[0]
        value = number(float(array[head, token, feature]), 4)
        return (head, token, feature), f"head {head}, {labels[token]}, feature {feature}<br><b>{value}</b>"

    stages = columns[: 3 if 3 * n_cells <= MOST_CLICKABLE else 1 if n_cells <= MOST_CLICKABLE else 0]
    found = [
        spot
        for boards in stages
        for board, head in zip(boards, range(*window.heads), strict=True)
        for spot in spots(board, partial(tell, head))
    ]
    return clicks(found, 10)
