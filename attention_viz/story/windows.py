"""The columns of a wide matrix that are sent to the board: those around the pinned cell."""

from __future__ import annotations

from dataclasses import replace

from attention_core import Trace
from attention_core.head_blocks import head_columns

from ..payload import Stage, Window

MAX_COLUMNS_SENT = 64  # columns of a wide matrix that are sent; the others follow the pinned cell


def head_window(trace: Trace, field: str, head: int, most: int = MAX_COLUMNS_SENT) -> Window:
    """The columns of a fused matrix that are sent: whole heads, as many as fit, the given one
    among them.
    """
    block = head_columns(trace, field, head)
    width = block.stop - block.start
    total = getattr(trace, field).shape[2]
    together = max(1, most // width) * width
    first = block.start // together * together
    return first, min(first + together, total)


def output_window(trace: Trace, column: int, most: int = MAX_COLUMNS_SENT) -> Window:
    """The columns of W_O and of the output that are sent, the given one among them."""
    most = min(most, MAX_COLUMNS_SENT)
    first = column // most * most
    return first, min(first + most, trace.sizes["O"])


def windowed(stage: Stage, letter: str, given: Window) -> Stage:
    """The same arrays, of which an axis is sent in part."""
    return replace(stage, windows={**stage.windows, letter: given})
