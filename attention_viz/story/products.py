"""The boards of the two products with weight matrices: into the heads, and out of them."""

from __future__ import annotations

from dataclasses import replace

from attention_core.head_blocks import head_columns

from ..payload import JSON, Stage
from ..scene import Panel, scene
from .per_head import HeadCell
from .windows import MAX_COLUMNS_SENT, head_window, output_window, windowed

UNCUT_COLUMNS = 8  # columns of an output that is never cut
PROJECTION_FACTORS = {
    "queries": ("inputs", "w_q"),
    "keys": ("memory", "w_k"),
    "values": ("memory", "w_v"),
}


def projection_board(stage: Stage, field: str, cell: HeadCell, focused: bool = False) -> JSON:
    """The inputs times one of the weight matrices, for a window of columns around the head's.

    focused: the head's own columns alone.
    """
    source, weights = PROJECTION_FACTORS[field]
    head, row, feature = cell
    column = head_columns(stage.trace, field, head).start + feature
    letter = stage.letters(field)[-1]
    stage = windowed(
        stage, letter, head_window(stage.trace, field, head, 1 if focused else MAX_COLUMNS_SENT)
    )
    panels = [
        Panel(source, 1, 2, (0, 1), editable=source == "inputs"),
        Panel(weights, 0, 1, (1, 0), editable=True),
        Panel(field, 1, 2, (1, 1), "result"),
    ]
    return scene(stage, panels, (field, (0, row, column)), _made(stage, source, weights, field))


def output_board(stage: Stage, query: int, column: int, focused: bool = False) -> JSON:
    """Merged times W_O, and the same output as a sum of one row per head.

    focused: of a wide W_O and output only as many columns as a head is wide, that of the cell
    among them.
    """
    added = [Panel("inputs", 1, 2, (2, 1), title="inputs, added")] * stage.trace.residual
    if stage.trace.projections.w_o is None:
        added = [replace(panel, place=(1, 0)) for panel in added]
        result = Panel("output", 1, 2, (1 + len(added), 0), "result")
        panels = [Panel("merged", 1, 2, (0, 0)), *added, result]
    else:
        sizes = stage.trace.sizes
        most = sizes["V"] if focused and sizes["O"] > UNCUT_COLUMNS else MAX_COLUMNS_SENT
        stage = windowed(stage, "O", output_window(stage.trace, column, most))
        panels = [
            Panel("merged", 1, 2, (0, 1)),
            Panel("w_o", 0, 1, (1, 0), editable=True),
            *added,
            Panel("output", 1, 2, (1, 1), "result"),
            Panel("head_contributions", 1, 3, (1, 2), "aside", title="this row, head by head"),
        ]
    return scene(
        stage, panels, ("output", (0, query, column)), _made(stage, "merged heads", "w_o", "output")
    )


def _made(stage: Stage, factor: str, weights: str, field: str) -> str:
    """What a field is made of, in words: a product with a matrix, if there is one, and what is
    added to it.
    """
    has_weights = getattr(stage.trace.projections, weights) is not None
    times = f" multiplied by {stage.symbol(weights)}" * has_weights
    return f"The {field}: the {factor}{times}{stage.trace.addition(field)}."


def token_board(stage: Stage, query: int) -> JSON:
    """One token: side by side its rows of the inputs and of the output; below, what each head found
    and what it adds.
    """
    stage = windowed(stage, "T", (query, query + 1))
    parts = [
        Panel("inputs", None, 2, (0, 0), title="the token before"),
        Panel("output", None, 2, (1, 0), "result", title="the token after"),
    ]
    mixed = stage.trace.projections.w_o is not None
    if mixed:
        parts.append(Panel("head_outputs", 1, 3, (0, 1), "aside", title="what each head found"))
        parts.append(Panel("head_contributions", 1, 3, (1, 1), title="what each head adds"))
    says = "One token before and after the layer."
    board = scene(stage, parts, ("output", (0, query, 0)), says)
    if mixed:  # worked out where it is looked at, of this token alone
        whole = board["arrays"]["head_contributions"]["shape"]
        part = {"start": [0, 0, query, 0], "whole": whole, "shape": [*whole[:2], 1, whole[3]]}
        board["arrays"]["head_contributions"] |= part
    return board | {"player": False, "arithmetic": False}
