"""The boards of the steps in which every head works alone, from the scores to its output."""

from collections.abc import Sequence

from ..payload import JSON, Stage
from ..scene import Panel, scene

HeadCell = tuple[int, int, int]  # head, row, column


def norm_board(stage: Stage, field: str, cell: HeadCell) -> JSON:
    """The queries or keys of a head before QK-norm, the gain, and after it."""
    (source,), gain = stage.trace.needs(field), "query_gain" if "quer" in field else "key_gain"
    panels = [
        Panel(source, 2, 3, (0, 0)),
        Panel(gain, None, 0, (0, 1), "row"),
        Panel(field, 2, 3, (1, 0), "result"),
        *_all_heads(stage, field, (2, 0)),
    ]
    return scene(stage, panels, _at(field, cell), "Every vector divided by its root mean square.")


def rotary_board(stage: Stage, field: str, cell: HeadCell) -> JSON:
    """The queries or keys of a head, what both members of a pair count, and the turned ones."""
    (source,) = stage.trace.needs(field)
    table = "query_rotation" if "quer" in field else "key_rotation"
    panels = [
        Panel(source, 2, 3, (0, 0)),
        Panel(table, 1, 2, (0, 1), "row", title="what both members of a pair count here"),
        Panel(field, 2, 3, (1, 0), "result"),
        *_all_heads(stage, field, (2, 0)),
    ]
    return scene(stage, panels, _at(field, cell), "Every pair of features turned by its position.")


def scores_board(stage: Stage, cell: HeadCell) -> JSON:
    """Queries times keys, and the scores of all heads."""
    queries, keys = stage.trace.needs("scores")
    panels = [
        Panel(queries, 2, 3, (0, 1), title="queries"),
        Panel(keys, 3, 2, (1, 0), title="keys, transposed"),
        Panel("scores", 2, 3, (1, 1), "result"),
        *_all_heads(stage, "scores", (2, 1)),
    ]
    description = "Every query times every key gives the scores."
    return scene(stage, panels, _at("scores", cell), description)


def scale_board(stage: Stage, cell: HeadCell) -> JSON:
    """The scores times one number, and the softmax of a row before and after the scale."""
    row = stage.notation.layout.row
    panels = [
        Panel("scores", 2, 3, (0, 0)),
        Panel("scaled_scores", 2, 3, (1, 0), "result"),
        Panel("raw_shares", None, 3, (0, 1), "row", title=f"softmax of this {row}, raw"),
        Panel("scaled_shares", None, 3, (1, 1), "row", title=f"softmax of this {row}, scaled"),
        *_all_heads(stage, "scaled_scores", (2, 0)),
    ]
    description = "The scores times the scale give the scaled scores."
    return scene(stage, panels, _at("scaled_scores", cell), description)


def mask_board(stage: Stage, cell: HeadCell) -> JSON:
    """The scaled scores before and after the mask, and the bias that is added to them."""
    bias = [Panel("bias", 2, 3, (1, 0), title="bias")] if stage.trace.bias is not None else []
    column = 1 + len(bias)
    panels = [
        Panel("scaled_scores", 2, 3, (0, 0)),
        *bias,
        Panel("masked_scores", 2, 3, (column, 0), "result"),
        *_all_heads(stage, "masked_scores", (column + 1, 0)),
    ]
    n_hidden = int(stage.trace.hidden.sum())
    description = (
        f"The scaled scores with the mask. Hidden scores: {n_hidden} of {stage.trace.hidden.size}."
    )
    return scene(stage, panels, _at("masked_scores", cell), description)


def softmax_board(stage: Stage, cell: HeadCell) -> JSON:
    """The masked scores, the probabilities, and the steps of the softmax for one row."""
    row = stage.notation.layout.row
    n_sinks = int(stage.trace.sink is not None)  # one more place in every row
    panels = [
        Panel("masked_scores", 2, 3, (0, 0)),
        Panel("probabilities", 2, 3, (1, 0), "result"),
        Panel("share_sum", 2, None, (2, 0), "total"),
        *[Panel("sink_shares", 2, None, (3, 0), "total")] * n_sinks,
        Panel("shifted_scores", None, 3, (0, 1), "row", title=f"this {row}, minus its maximum"),
        Panel("row_maximum", None, None, (1, 1), "row"),
        Panel("exponentials", None, 3, (0, 2), "row", title="exponentials"),
        Panel("row_sum", None, None, (1, 2), "row"),
        *[Panel("sink_exponentials", None, None, (2, 2), "row")] * n_sinks,
        *_all_heads(stage, "probabilities", (3 + n_sinks, 0)),
    ]
    description = f"The softmax makes shares of every {row} of scores."
    return scene(stage, panels, _at("probabilities", cell), description)


def mixing_board(stage: Stage, cell: HeadCell) -> JSON:
    """Probabilities times values, and the weighted values before they are added up."""
    panels = [
        Panel("probabilities", 2, 3, (0, 1)),
        Panel("value_heads", 2, 3, (1, 0), title="values"),
        Panel("head_outputs", 2, 3, (1, 1), "result"),
        Panel("weighted_values", 3, 4, (2, 0), "aside", title="weight × value, before the sum"),
        *_all_heads(stage, "head_outputs", (2, 1)),
    ]
    description = "The probabilities, multiplied with the values, give the head outputs."
    return scene(stage, panels, _at("head_outputs", cell), description)


def pair_board(stage: Stage, cell: HeadCell) -> JSON:
    """One query token and one key token in all heads: the product of every head with every head,
    and the product number by number.
    """
    (head, query, key), (queries, keys) = cell, stage.trace.needs("scores")
    row = stage.notation.layout.row
    panels = [
        Panel(queries, 1, 3, (0, 1), title="query, all heads"),
        Panel(keys, 3, 1, (1, 0), title="key, all heads"),
        Panel("pair_products", 3, 4, (1, 1), "result", title="all pairs of heads", diagonal=True),
        Panel("pair_hadamard", 3, 4, (2, 1), "aside", title="query ⊙ key"),
        Panel("scores", 1, None, (3, 1), "aside", title=f"{row} sums = scores"),
        Panel("pair_total", None, None, (3, 2), "aside"),
    ]
    description = "One pair of tokens in all heads."
    return scene(stage, panels, _at("pair_products", (query, key, head, head)), description)


def value_pair_board(stage: Stage, cell: HeadCell, feature: int) -> JSON:
    """One query token and one key token in all heads: each head's value times its attention weight,
    and the sum of these over all keys.
    """
    (head, query, key), row = cell, stage.notation.layout.row
    panels = [
        Panel("probabilities", 1, None, (0, 0), title="coefficient of every head"),
        Panel("value_heads", 1, 3, (1, 0), title=f"value, a {row} for every head"),
        Panel("weighted_values", 1, 4, (2, 0), "result", title="coefficient ⊙ value"),
        Panel("head_outputs", 1, 3, (3, 0), "aside", title="sum over all keys"),
    ]
    description = "The value of one token in all heads, weighted for one query."
    return scene(stage, panels, _at("weighted_values", (head, query, key, feature)), description)


def _at(field: str, cell: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    return field, (0, *cell)


def _all_heads(stage: Stage, field: str, place: tuple[int, int]) -> list[Panel]:
    """The matrices of all heads, small; none if there is only one head."""
    if stage.trace.sizes["H"] == 1:
        return []
    return [Panel(field, 2, 3, place, "tiles", tiles=1, small=True, title="all heads")]
