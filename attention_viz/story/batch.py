"""All sequences of a batch as small matrices, one line for each, in one scale of colours."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

import numpy as np

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.text import Tokens
from attention_lab.notation.notation import OURS, Notation

from ..names import role_of
from ..payload import JSON, bits, float_bytes
from ..scene import axis_word
from ..thumbnails import MOST_NUMBERS, line_of_heads, part_of
from ..tiles import largest

GIVEN = {"feature": "This number is", "logit": "This score is", "probability": "This share is"}


def batch_board(
    trace: Trace,
    field: str,
    tokens: Sequence[Tokens],
    cell: tuple[int, Sequence[int]],
    notation: Notation = OURS,
) -> JSON:
    """The board's JSON object for a field of a batch.

    tokens: of every sequence. cell: the sequence that is shown, and the index of the cell in it.
    Rows and columns of [pad] are hatched. Of very large matrices only a part around the cell is
    sent.
    """
    numbers = getattr(trace, field)
    shown, index = cell
    limit = None if STEPS[field].kind == "probability" else round(largest(numbers), 6)
    names = [f"sentence {place}" for place in range(len(numbers))]
    window = _window(numbers.shape, index)
    arrays: JSON = {}
    axes: JSON = {}
    for place, name in enumerate(names):
        letters = [f"{letter} {place}" for letter in STEPS[field].letters[1:]]
        arrays[name] = _array(name, field, numbers[place], letters, window, limit)
        arrays[name]["hatched"] = bits(
            _padding(numbers[place], field, tokens[place].n_real, window)
        )
        axes |= _axes(field, letters, tokens[place])
    return {
        "description": f"The {STEPS[field].title} of every sentence of the batch.",
        "arrays": arrays,
        "rules": {},
        "axes": axes,
        "panels": [
            _panel(name, place, place == shown, numbers.ndim == 4)
            for place, name in enumerate(names)
        ],
        "cell": {"array": names[shown], "index": list(map(int, index))},
        "player": False,
        "arithmetic": False,
        "transposed": notation.convention == "column",
    }


def _panel(name: str, place: int, is_shown: bool, per_head: bool) -> JSON:
    """A line of heads, or one matrix beside the others."""
    panel = line_of_heads(name, place, f"{name}, shown above" if is_shown else name)
    if per_head:
        return panel
    return panel | {"rows": 0, "columns": 1, "tiles": None, "place": [place, 0]}


def _window(shape: tuple[int, ...], index: Sequence[int]) -> tuple[slice, slice]:
    """The rows and columns that are sent, those of the cell among them."""
    matrices = int(np.prod(shape[:-2]))
    side = min(64, isqrt(MOST_NUMBERS // matrices))
    rows, columns = (
        part_of(size, place, side) for size, place in zip(shape[-2:], index[-2:], strict=True)
    )
    return rows, columns


def _array(
    name: str,
    field: str,
    numbers: Array,
    letters: Sequence[str],
    window: tuple[slice, slice],
    limit: float | None,
) -> JSON:
    part = np.ascontiguousarray(numbers[(..., *window)])
    hidden = np.isneginf(part)
    kind = STEPS[field].kind
    given: JSON = {
        "shape": list(part.shape),
        "axes": list(letters),
        "title": name,
        "role": role_of(field),
        "kind": kind,
        "limit": limit,
        "data": float_bytes(np.where(hidden, 0, part)),
        "given": GIVEN[kind],
    }
    if part.shape != numbers.shape:
        starts = [0, *(cut.start for cut in window)][3 - numbers.ndim :]
        given |= {"start": starts, "whole": list(numbers.shape)}
    return given | ({"masked": bits(hidden)} if hidden.any() else {})


def _padding(numbers: Array, field: str, n_real: int, window: tuple[slice, slice]) -> Array:
    """Which cells belong to a [pad]."""
    padded = np.zeros(numbers.shape, bool)
    for axis, letter in enumerate(STEPS[field].letters[1:]):
        if letter in ("T", "S"):
            np.moveaxis(padded, axis, 0)[n_real:] = True
    part: Array = padded[(..., *window)]
    return part


def _axes(field: str, letters: Sequence[str], tokens: Tokens) -> JSON:
    """Every axis of one sequence: its word, and the tokens where it has some."""
    return {
        letter: {
            "word": axis_word(declared),
            "labels": list(tokens.tokens) if declared in ("T", "S") else None,
            "block": None,
        }
        for letter, declared in zip(letters, STEPS[field].letters[1:], strict=True)
    }
