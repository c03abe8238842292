"""The heads side by side: each on its own, all in one, one query's rows, one key's columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core import STEPS, SettingsError, Trace, checks
from attention_core.checks import Array
from attention_core.head_blocks import check_places
from attention_lab.heads.head_averages import chosen_heads

from ..labels import counted, number, numbered
from ..payload import LIKE
from ..sheet import Sheet
from ..theme import Figure
from ..tiles import Tile, across_for, largest, tiled

# The fields that hold a matrix of queries and keys for each head.
FIELDS = tuple(name for name, step in STEPS.items() if step.letters == tuple("BHTS"))


def heads_grid(
    trace: Trace,
    field: str,
    heads: Sequence[int],
    *,
    cell: tuple[int, int, int],
    own_scale: bool = False,
) -> Figure:
    """One matrix per chosen head, on one colour scale or each on its own. cell: head, query and key
    in focus.

    Raises: SettingsError for a field that is none of `FIELDS`, for heads or a cell that there are
    not.
    """
    if len(place := checks.as_list("cell", cell)) != 3:
        raise SettingsError(
            f"cell is {checks.shown(cell)} but must be three numbers: head, query and key"
        )
    check_places(trace, **dict(zip(("head", "query", "key"), place, strict=True)))
    chosen = chosen_heads(getattr(trace, checks.one_of("field", field, FIELDS))[0], heads)
    matrices = shown(trace, field)
    tiles = [Tile(matrices[head], f"head {head}", head, lit=head == cell[0]) for head in heads]
    says = (
        f"The {STEPS[field].title} of {counted(len(tiles), 'head')}, queries as rows and keys as"
        f" columns; the largest is {number(float(chosen.max()))}."
    )
    sheet = sheet_of(trace, field, None if own_scale else limit_of(trace, field))
    return tiled(sheet, tiles, says, across=across_for(len(tiles)), cell=cell[1:])


def together(
    trace: Trace, field: str, merged: dict[str, Array], cell: tuple[int, int, int]
) -> Figure:
    """What several heads give together, such as their mean, in the colours of `heads_grid`."""
    hidden = trace.hidden[0].all(axis=0) & (field == "probabilities")
    tiles = [
        Tile(np.where(hidden, -np.inf, matrix_TS), title) for title, matrix_TS in merged.items()
    ]
    says = f"The {STEPS[field].title} of the chosen heads as one matrix: {' and '.join(merged)}."
    sheet = sheet_of(trace, field, limit_of(trace, field))
    return tiled(sheet, tiles, says, across=len(tiles), cell=cell[1:])


def of_query(trace: Trace, head: int, query: int, key: int) -> Figure:
    """What one query reads in each head: heads as rows, keys as columns."""
    rows_HS = shown(trace, "probabilities")[:, query]
    says = f"What query {query} reads from each key, one row per head; the largest share is "
    return _by_head(numbered(trace.labels("S")), rows_HS, says, (head, key))


def of_key(trace: Trace, head: int, query: int, key: int) -> Figure:
    """Who reads one key in each head: heads as rows, queries as columns."""
    columns_HT = shown(trace, "probabilities")[:, :, key]
    says = f"How much each query reads from key {key}, one row per head; the largest share is "
    return _by_head(numbered(trace.labels("T")), columns_HT, says, (head, query))


def shown(trace: Trace, field: str) -> Array:
    """The matrices of all heads, minus infinity where a key is hidden: its share 0 is told by
    the hatching.
    """
    array = getattr(trace, field)[0]
    return np.where(trace.hidden[0], -np.inf, array) if field == "probabilities" else array


def sheet_of(trace: Trace, field: str, limit: float | None) -> Sheet:
    """Queries as rows and keys as columns, in the colours of a field."""
    return Sheet(numbered(trace.labels("T")), numbered(trace.labels("S")), STEPS[field].kind, limit)


def limit_of(trace: Trace, field: str) -> float:
    """The value of the strongest colour: all scores share one, so that what a step does is seen."""
    return largest(getattr(trace, LIKE.get(field, field)))


def _by_head(columns: tuple[str, ...], shares: Array, says: str, cell: tuple[int, int]) -> Figure:
    most = max(0.0, float(shares.max()))
    sheet = Sheet(
        tuple(f"head {head}" for head in range(len(shares))), columns, limit=most or 1.0, width=520
    )
    return tiled(sheet, [Tile(shares)], f"{says}{number(most)}.", across=1, cell=cell)
