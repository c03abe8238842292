"""The pictures of the three uses of attention: side by side, and one of them step by step."""

from collections.abc import Mapping

from attention_core import STEPS, Trace
from attention_core.trace import USUAL_STEPS
from attention_lab.masks.encoder_decoder import ATTENTION_USES, AttentionUse
from attention_lab.notation.notation import OURS, Notation

from ..blocks import Table
from ..matrices import Side
from ..payload import JSON, Stage
from ..scene import Panel, scene
from .mask_workshop import Column, columns_board

TABLE_FIELDS = tuple(name for name in USUAL_STEPS if name not in ("scaled_scores", "masked_scores"))


def uses_board(
    traces: Mapping[str, Trace],
    head: int,
    chosen: str,
    cell: tuple[int, int],
    notation: Notation = OURS,
) -> JSON:
    """Masked scores and probabilities of one head in the three uses, one column for each."""
    columns = []
    for use in ATTENTION_USES:
        trace, titles = traces[use.key], (f"{use.key}: scores", f"{use.key}: shares")
        queries = Side(f"query: {use.queries_from}", trace.tokens)
        keys = Side(f"key: {use.keys_from}", trace.memory_tokens)
        columns.append(Column(use.key, trace, (0, head), (queries, keys), titles))
    description = (
        f"Masked scores and probabilities of head {head} in the encoder, in the decoder, and from"
        " decoder to encoder."
    )
    return columns_board(columns, chosen, cell, description, notation)


def use_scene(stage: Stage, use: AttentionUse, head: int, cell: tuple[int, int]) -> JSON:
    """Queries, keys, probabilities, values and outputs of one head in one use."""
    queries, keys = stage.trace.needs("scores")
    panels = [
        Panel(queries, 2, 3, (0, 1), title=f"queries: {use.queries_from}"),
        Panel(keys, 3, 2, (1, 0), title=f"keys: {use.keys_from}, transposed"),
        Panel("scores", 2, 3, (1, 1)),
        Panel("scaled_scores", 2, 3, (2, 1)),
        Panel("value_heads", 2, 3, (3, 1), title=f"values: {use.keys_from}"),
        Panel("masked_scores", 2, 3, (1, 2)),
        Panel("probabilities", 2, 3, (2, 2)),
        Panel("head_outputs", 2, 3, (3, 2), "result"),
    ]
    description = (
        f"The steps of {use.name} in head {head}: queries of the {use.queries_from}, keys and"
        f" values of the {use.keys_from}."
    )
    beside = ("bias",) if stage.trace.bias is not None else ()
    shown = scene(stage, panels, ("probabilities", (0, head, *cell)), description, beside)
    return shown | {"player": False}


def shapes_table(traces: Mapping[str, Trace]) -> Table:
    """The shape of every step in the three uses: query tokens in blue, key tokens in red."""
    rows = [
        (
            STEPS[field].title,
            " · ".join(STEPS[field].letters),
            *(_shape(traces[use.key], field) for use in ATTENTION_USES),
        )
        for field in TABLE_FIELDS
    ]
    return Table(("", "axes", *(use.name for use in ATTENTION_USES)), rows, words=True)


def _shape(trace: Trace, field: str) -> str:
    colours = {"T": ":blue[**{}**]", "S": ":red[**{}**]"}
    sizes = zip(STEPS[field].letters, getattr(trace, field).shape, strict=True)
    return " × ".join(colours.get(letter, "{}").format(size) for letter, size in sizes)
