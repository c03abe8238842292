"""Edits: single numbers that the user has put in place of those in X, W_Q, W_K, W_V or W_O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError, short_repr
from attention_core.projections import MATRICES, Projections
from attention_core.trace import Trace

from ..files.file_checks import MAX_VALUE, VALUE_RANGE
from .matrix_names import SYMBOLS
from .text_store import is_key, store_text, stored_text

MAX_INDEX = 4095
MAX_EDITS = 4000
MAX_URL_EDITS = 40

_CODES = {name.replace("_", ""): name for name in SYMBOLS}
_EDIT = re.compile(
    rf"({'|'.join(_CODES)})_(\d{{1,4}})_(\d{{1,4}})_"
    r"(-?\d{1,32}(?:\.\d{1,32})?(?:e-?\d{1,3})?)",
    re.ASCII,
)


# The matrix for each array that a board lets edit.
EDITABLE_ARRAYS = {"inputs": "x", "memory": "x"} | {name: name for name in MATRICES}


@dataclass(frozen=True)
class Edit:
    """One number put in place of another. matrix: a name of `SYMBOLS`.

    Raises: SettingsError for a place or a value out of range: a browser sends both.

    >>> Edit("w_q", row=3, column=5, value=1.25).encode()
    'wq_3_5_1.25'
    """

    matrix: str
    row: int
    column: int
    value: float

    def __post_init__(self) -> None:
        if not (0 <= self.row <= MAX_INDEX and 0 <= self.column <= MAX_INDEX):
            raise SettingsError(
                f"The edit is of row {self.row}, column {self.column}, but both must be from 0 to"
                f" {MAX_INDEX}"
            )
        if not abs(self.value) <= MAX_VALUE:
            value = short_repr(self.value)
            raise SettingsError(f"The new value is {value} but must be a number {VALUE_RANGE}")
        object.__setattr__(self, "value", float(self.value))

    @property
    def cell(self) -> tuple[str, int, int]:
        """Which number is replaced: matrix, row, column."""
        return self.matrix, self.row, self.column

    def encode(self) -> str:
        """Matrix, row, column and value as text.

        The value is the shortest text that reads back as the same number.
        """
        name, value = self.matrix.replace("_", ""), repr(self.value).removesuffix(".0")
        return f"{name}_{self.row}_{self.column}_{value}"


@dataclass(frozen=True)
class Edits:
    """Edits in the order they were made. Of two edits of one cell, the last counts.

    An edit changes one cell of one matrix and nothing else: tied weights are then no longer tied,
    and orthonormal weights no longer orthonormal. Raises: SettingsError for more than `MAX_EDITS`.
    """

    items: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        latest: dict[tuple[str, int, int], Edit] = {}
        for edit in self.items:
            latest.pop(edit.cell, None)
            latest[edit.cell] = edit
        object.__setattr__(self, "items", tuple(latest.values()))
        _check_count(len(self.items), MAX_EDITS)

    def add(self, edit: Edit) -> Edits:
        """These edits and one more, which replaces an earlier edit of the same cell."""
        return Edits((*self.items, edit))

    def undo(self) -> Edits:
        """These edits without the last one."""
        return Edits(self.items[:-1])

    def encode(self) -> str:
        """All edits as one text.

        It holds only letters, digits, "_", "-" and ".": these stand in a URL as they are, where "="
        and ";" would take three characters each.

        >>> Edits((Edit("w_q", 3, 5, 1.25), Edit("x", 0, 2, -0.5))).encode()
        'wq_3_5_1.25__x_0_2_-0.5'
        """
        return "__".join(edit.encode() for edit in self.items)

    @classmethod
    def decode(cls, text: str, max_edits: int = MAX_URL_EDITS) -> Edits:
        """The edits in a text. Raises: SettingsError naming the part that is wrong."""
        if not text:
            return cls()
        _check_count(text.count("__") + 1, max_edits)
        return cls(tuple(_decode(part) for part in text.split("__")))

    def url_value(self) -> str:
        """What stands in the URL: the text itself, or a key for it if it is too long."""
        return self.encode() if len(self.items) <= MAX_URL_EDITS else store_text(self.encode())

    @classmethod
    def from_url(cls, value: str) -> Edits:
        """The edits that a URL stands for. Raises: SettingsError."""
        return cls.decode(stored_text(value), MAX_EDITS) if is_key(value) else cls.decode(value)


def apply_edits(edits: Edits, inputs: Array, projections: Projections) -> tuple[Array, Projections]:
    """The inputs and weights with the edits in them; what is not edited is the same object. Shapes:
    inputs (T, D).

    The identity matrices of a weightless layer can be edited like any others. An edit of W_O has no
    effect while the layer has no W_O (`edits_outside`).

    >>> edits = Edits((Edit("x", 0, 1, 9.0),))
    >>> x, p = apply_edits(edits, np.zeros((2, 2)), Projections.weightless(2))
    >>> x.tolist()
    [[0.0, 9.0], [0.0, 0.0]]
    """
    changed: dict[str, Any] = {}
    arrays = _arrays(inputs, projections)
    for edit in edits.items:
        if _is_inside(edit, arrays):
            array = changed.setdefault(edit.matrix, np.array(arrays[edit.matrix]))
            array[edit.row, edit.column] = edit.value
    for array in changed.values():
        array.setflags(write=False)
    inputs = changed.pop("x", inputs)
    return inputs, replace(projections, **changed) if changed else projections


def edits_outside(edits: Edits, trace: Trace) -> tuple[Edit, ...]:
    """The edits of cells that the layer does not have, because a size or the kind of weights has
    changed.
    """
    arrays = _arrays(trace.inputs[0], trace.projections)
    return tuple(edit for edit in edits.items if not _is_inside(edit, arrays))


def outside_note(edits: Edits, trace: Trace) -> str:
    """A sentence about the edits outside the matrices; "" if there are none."""
    count = len(edits_outside(edits, trace))
    if not count:
        return ""
    return (
        f"Edits outside the matrices: {count:,}. They are kept, and act again when the sizes and"
        " weights are those they were made for."
    )


def _arrays(inputs: Array, projections: Projections) -> Mapping[str, Array]:
    """The matrices that can be edited, by name."""
    weights = {name: getattr(projections, name) for name in MATRICES}
    return {"x": inputs} | {name: array for name, array in weights.items() if array is not None}


def _is_inside(edit: Edit, arrays: Mapping[str, Array]) -> bool:
    if edit.matrix not in arrays:
        return False
    n_rows, n_columns = arrays[edit.matrix].shape
    return bool(edit.row < n_rows and edit.column < n_columns)


def _check_count(count: int, max_edits: int) -> None:
    if count > max_edits:
        raise SettingsError(
            f"There are {count:,} edits, but at most {max_edits:,} can be kept: undo some"
        )


def _decode(part: str) -> Edit:
    match = _EDIT.fullmatch(part)
    if not match:
        raise SettingsError(
            f"The edit {short_repr(part)} is not understood: it must be matrix, row, column and"
            f" value, such as wq_3_5_1.25; the matrices are {', '.join(_CODES)}"
        )
    code, row, column, value = match.groups()
    return Edit(_CODES[code], int(row), int(column), float(value))
