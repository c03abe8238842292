"""The names of an array's columns as the board takes them, axis by axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_lab.column_names import ColumnNames, Names

# Whose columns stand in the axes of one head's width, alone or side by side.
WHOSE = {
    **{
        name: which
        for which, one in (("queries", "query"), ("keys", "key"), ("values", "value"))
        for name in (which, f"{one}_heads", f"w_{one[0]}", f"b_{one[0]}", f"reshaped_{which}")
    },
    **dict.fromkeys(("weighted_values", "head_outputs", "merged", "w_o"), "values"),
}


def axis_names(
    name: str, letters: Sequence[str], shape: Sequence[int], given: ColumnNames
) -> dict[str, Any]:
    """By axis number the labels of the whole axis, and the axis of heads that they depend on.

    letters, shape: of the whole array, as it is declared. What has no names is left out.

    >>> from attention_lab.column_names import BY_HAND
    >>> axis_names("head_outputs", ["B", "H", "T", "V"], [1, 2, 3, 4], BY_HAND)["3"]["labels"][1]
    ['noun', 'animate', 'verb', 'other']
    """
    heads: tuple[Names, ...] = getattr(given, WHOSE[name]) if name in WHOSE else ()
    side_by_side = tuple(label for labels in heads for label in labels)
    by = next((axis for axis, letter in enumerate(letters) if letter in "HG"), None)
    found: dict[str, Any] = {}
    for axis, (letter, size) in enumerate(zip(letters, shape, strict=True)):
        if letter in "KV" and by is not None:
            if len(heads) == shape[by] and {len(labels) for labels in heads} == {size}:
                found[str(axis)] = {"labels": [list(labels) for labels in heads], "by": by}
            continue
        whole = {"D": given.features, "M": given.features, "O": given.outputs}
        labels = side_by_side if "·" in letter else whole.get(letter, ())
        if labels and len(labels) == size:
            found[str(axis)] = {"labels": list(labels), "by": None}
    return found
