"""The names of a layer's columns; only a layer made by hand has them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .by_hand import FIRST_LAYER, HEAD_WIDTH, UNUSED_COLUMN, HandmadeLayer
from .choices import resolve
from .scenario import Scenario

Names = tuple[str, ...]


@dataclass(frozen=True)
class ColumnNames:
    """Names of columns; empty where they have none.

    features, outputs: of the inputs and the output. queries, keys, values: of each head. asks_for:
    what each head's queries ask for, in words, where the names of their columns do not say it.
    """

    features: Names = ()
    outputs: Names = ()
    queries: tuple[Names, ...] = ()
    keys: tuple[Names, ...] = ()
    values: tuple[Names, ...] = ()
    asks_for: Names = ()


def _padded(names_of_heads: Iterable[Iterable[str]]) -> tuple[Names, ...]:
    """The names of each head's columns, with a sign for those that are not used."""
    named = [tuple(names) for names in names_of_heads]
    return tuple(names + (UNUSED_COLUMN,) * (HEAD_WIDTH - len(names)) for names in named)


def names_of(layer: HandmadeLayer) -> ColumnNames:
    """The names of the columns of a layer made by hand."""
    return ColumnNames(
        features=layer.features,
        outputs=layer.features,
        queries=_padded(head.queries for head in layer.heads),
        keys=_padded(head.keys for head in layer.heads),
        values=_padded(head.copies for head in layer.heads),
        asks_for=tuple(head.asks_for for head in layer.heads),
    )


HANDMADE_NAMES = names_of(FIRST_LAYER)
# The names that a matrix of the user takes away: those of its own columns.
_NAMED_PARTS = {"x": "features", "w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "outputs"}


def column_names(scenario: Scenario) -> ColumnNames | None:
    """The names of a scenario's columns; the user's own matrices have none. Raises: AttentionError.

    >>> column_names(Scenario(weights="by hand", d_model=8, n_heads=2)).keys[0]
    ('noun', 'animate', 'unused', 'unused')
    """
    run = resolve(scenario)
    if run.handmade is None:
        return None
    names, own = names_of(run.handmade), run.own.arrays
    kept: Mapping[str, Names | tuple[Names, ...]] = {
        part: getattr(names, part) for matrix, part in _NAMED_PARTS.items() if matrix not in own
    }
    if "w_q" not in own:
        kept = {**kept, "asks_for": names.asks_for}
    return ColumnNames(**kept)  # type: ignore[arg-type]
