"""What a stage asks before it shows its lit cell."""

from __future__ import annotations

from attention_lab.guesses import as_data, guesses_of
from attention_lab.scenario import embedding_of
from attention_viz import story
from attention_viz.payload import JSON

from .page_context import PageContext


def guess_data(now: PageContext, field: str, board: JSON) -> JSON | None:
    """The question on the cell that the board of a step explains, or None where it has none."""
    cell = board.get("cell")
    if not cell or cell["array"] != field:
        return None
    words = None
    if field == "inputs":
        embedding = embedding_of(now.shown)
        words = embedding.words if story.is_sum_of_words(now.trace, embedding) else None
    found = guesses_of(now.trace, field, cell["index"], words)
    return as_data(found[0]) if found else None
