"""What a stage asks before it shows its lit cell."""

from __future__ import annotations

import numpy as np

from attention_lab.guesses import as_data, guesses_of
from attention_lab.scenario import embedding_of
from attention_viz.payload import JSON

from .page_context import PageContext


def first_guess(now: PageContext, field: str, board: JSON) -> JSON | None:
    """The question on the cell that the board of a step explains, or None where it has none."""
    cell = board.get("cell")
    if not cell or cell["array"] != field:
        return None
    words = embedding_of(now.shown) if field == "inputs" else None
    is_sum = words is not None and np.array_equal(words.inputs, now.trace.inputs[0])
    found = guesses_of(
        now.trace, field, cell["index"], words.words if words is not None and is_sum else None
    )
    return as_data(found[0]) if found else None
