"""What the columns of a layer mean: only those of a layer made by hand have names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .by_hand import HANDMADE_FEATURES, HANDMADE_HEADS, HEAD_WIDTH, UNUSED_COLUMN
from .scenario import Scenario, resolve, user_matrices_of

Names = tuple[str, ...]


@dataclass(frozen=True)
class ColumnNames:
    """Names of columns; nothing where they have none.

    features, outputs: of what the layer reads and gives. queries, keys, values: of each head.
    """

    features: Names = ()
    outputs: Names = ()
    queries: tuple[Names, ...] = ()
    keys: tuple[Names, ...] = ()
    values: tuple[Names, ...] = ()


HANDMADE_NAMES = ColumnNames(
    HANDMADE_FEATURES,
    HANDMADE_FEATURES,
    *(
        tuple((*mixes, *(UNUSED_COLUMN,) * (HEAD_WIDTH - len(mixes))) for mixes in of_heads)
        for of_heads in (
            [head.queries for head in HANDMADE_HEADS],
            [head.keys for head in HANDMADE_HEADS],
            [head.copies for head in HANDMADE_HEADS],
        )
    ),
)
# Which names an own matrix takes away: of what it makes, or, where it is X, of what it holds.
_MADE = {"x": "features", "w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "outputs"}


def column_names(scenario: Scenario) -> ColumnNames | None:
    """The names of a scenario's columns; those of own matrices are unknown. Raises: AttentionError.

    >>> column_names(Scenario(weights="by hand", d_model=8, n_heads=2)).keys[0]
    ('noun', 'animate', '·', '·')
    """
    if resolve(scenario).weights != "by hand":
        return None
    own = user_matrices_of(scenario).arrays
    kept: Mapping[str, Names | tuple[Names, ...]] = {
        part: getattr(HANDMADE_NAMES, part) for matrix, part in _MADE.items() if matrix not in own
    }
    return ColumnNames(**kept)  # type: ignore[arg-type]
