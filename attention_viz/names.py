"""The titles, symbols, colours and column names of matrices in pictures."""

from collections.abc import Sequence
from typing import Any

from attention_core import STEPS
from attention_core.projections import MATRICES
from attention_core.wording import ROWS, Layout
from attention_lab.column_names import ColumnNames, Names
from attention_lab.notation.notation import OURS, Notation, symbol

ARRAY_TITLES = {
    "words": "word vectors",
    "positions": "position codes",
    "weighted_values": "weight × value",
    "head_contributions": "what each head adds",
    "row_maximum": "maximum of the {row}",
    "shifted_scores": "minus the maximum",
    "exponentials": "exponentials",
    "row_sum": "their sum",
    "share_sum": "sum",
    "shifted_sinks": "the sink, minus the maximum",
    "sink_exponentials": "of the sink",
    "sink_shares": "to the sink",
    "sink": "sink",
    "query_gain": "query gain",
    "key_gain": "key gain",
    "query_rotation": "cos and sin",
    "key_rotation": "cos and sin",
    "raw_shares": "shares from raw scores",
    "scaled_shares": "shares from scaled scores",
    "merged_unswapped": "wrong: reshape alone",
    "pair_products": "every head with every head",
    "pair_hadamard": "number by number",
    "pair_total": "all heads together",
}

COLOUR_ROLES = {name: step.role for name, step in STEPS.items() if step.role != "text"} | {
    "weighted_values": "value",
    "head_contributions": "output",
    **{f"{kind}_{role[0]}": role for kind in "wb" for role in ("query", "key", "value", "output")},
}


def title_of(name: str, layout: Layout = ROWS) -> str:
    """The title of a matrix, in a word or two. layout: the words for rows and columns.

    >>> title_of("head_outputs"), title_of("w_q"), title_of("unswapped_keys")
    ('head outputs', '', 'wrong: reshape alone')
    """
    if name.startswith("unswapped_"):
        return ARRAY_TITLES["merged_unswapped"]
    if name.startswith("reshaped_"):
        return f"{name.removeprefix('reshaped_')}, reshaped"
    if name in STEPS:
        return STEPS[name].title
    return layout.fill(ARRAY_TITLES.get(name, ""))


def symbol_of(name: str, notation: Notation) -> str:
    """The symbol of a field, a weight or the scale in plain characters; "" if it has none.

    >>> symbol_of("scores", OURS), symbol_of("w_q", OURS), symbol_of("words", OURS)
    ('Sₕ', 'W_Q', '')
    """
    if name not in OURS.symbols:
        return ""
    sign = symbol(name, notation)
    if name in MATRICES and notation.convention == "column":  # a bias is a vector: no transpose
        sign = sign.transposed
    return sign.plain


def role_of(name: str) -> str:
    """The colour role of a matrix: query, key, value, output or text.

    >>> role_of("w_q"), role_of("reshaped_keys"), role_of("scores")
    ('query', 'key', 'text')
    """
    return COLOUR_ROLES.get(name.removeprefix("reshaped_").removeprefix("unswapped_"), "text")


COLUMN_NAMES = {"query": "queries", "key": "keys", "value": "values"}


def _head_names(name: str, letters: Sequence[str], given: ColumnNames) -> tuple[Names, ...]:
    """The names of every head's columns, for an array whose columns stand in the axes of a head's
    width, alone or side by side; of an array reshaped without the swap there are none.
    """
    if "unswapped" in name:
        return ()
    role = "value" if "V" in "".join(letters) else role_of(name)
    names: tuple[Names, ...] = getattr(given, COLUMN_NAMES[role]) if role in COLUMN_NAMES else ()
    return names


def axis_labels(
    name: str, letters: Sequence[str], shape: Sequence[int], given: ColumnNames
) -> dict[str, Any]:
    """The labels of an array's axes, by axis number, and the axis of heads on which they depend.

    letters, shape: of the whole array, as declared. Axes without names are left out.

    >>> from attention_lab.column_names import HANDMADE_NAMES
    >>> names = axis_labels("head_outputs", ["B", "H", "T", "V"], [1, 2, 3, 4], HANDMADE_NAMES)
    >>> names["3"]["labels"][1]
    ['noun', 'animate', 'verb', 'other']
    """
    heads = _head_names(name, letters, given)
    side_by_side = tuple(label for labels in heads for label in labels)
    by = next((axis for axis, letter in enumerate(letters) if letter in "HG"), None)
    texts: dict[str, Any] = {}
    for axis, (letter, size) in enumerate(zip(letters, shape, strict=True)):
        if letter in "KV" and by is not None:
            if len(heads) == shape[by] and {len(labels) for labels in heads} == {size}:
                texts[str(axis)] = {"labels": [list(labels) for labels in heads], "by": by}
            continue
        whole = {"D": given.features, "M": given.features, "O": given.outputs}
        labels = side_by_side if "·" in letter else whole.get(letter, ())
        if labels and len(labels) == size:
            texts[str(axis)] = {"labels": list(labels), "by": None}
    return texts
