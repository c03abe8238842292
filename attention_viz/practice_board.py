"""The operands of a question to work out by hand, as a board without the result."""

from __future__ import annotations

from attention_core.derivation import Derivation

from . import story
from .payload import JSON, Stage

HEAD_BOARDS = {
    "scores": story.scores_board,
    "scaled_scores": story.scale_board,
    "probabilities": story.softmax_board,
    "head_outputs": story.mixing_board,
}


def operand_board(stage: Stage, asked: Derivation, focused: bool) -> JSON:
    """The board of the step that computes a cell, without its result; the cell's operands are lit.
    focused: only the columns of one head if there are many.
    """
    field, (_, *index) = asked.field, asked.index
    if field in HEAD_BOARDS:
        head, query, last = index
        board = HEAD_BOARDS[field](stage, (head, query, last))
    elif field == "merged":
        query, column = index
        width = stage.trace.sizes["V"]
        board = story.merge_board(stage, (column // width, query, column % width), focused)
    elif field == "output":
        board = story.output_board(stage, index[0], index[1], focused)
    else:
        row, column = index
        width = stage.trace.sizes["V" if field == "values" else "K"]
        board = story.projection_board(
            stage, field, (column // width, row, column % width), focused
        )
    panels = [panel for panel in board["panels"] if panel["role"] == "operand"]
    cell = {"array": field, "index": list(asked.index)}
    return board | {"panels": panels, "cell": cell, "player": False, "arithmetic": False}
