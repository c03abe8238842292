"""Edits: single numbers that the user has put in place of those in X, W_Q, W_K, W_V or W_O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.checks import NOT_A_NUMBER, Array, check_choice, short_repr, whole_number
from attention_core.errors import SettingsError
from attention_core.projections import MATRICES, Projections
from attention_core.trace import Trace

from ..files.file_checks import MAX_VALUE, VALUE_RANGE
from .matrix_names import SYMBOLS
from .text_store import is_key, store_text, stored_text

MAX_INDEX = 4095
MAX_EDITS = 4000
MAX_URL_EDITS = 40

_CODES = {name.replace("_", ""): name for name in SYMBOLS}
_NUMBER = re.compile(r"-?\d{1,32}(\.\d{1,32})?(e-?\d{1,3})?", re.ASCII)
_PLACE = re.compile(r"\d{1,4}", re.ASCII)
_LONGEST = 80


@dataclass(frozen=True)
class Edit:
    """One number put in place of another. Raises: SettingsError.

    >>> Edit("w_q", row=3, column=5, value=1.25).encode()
    'wq_3_5_1.25'
    """

    matrix: str
    row: int
    column: int
    value: float

    def __post_init__(self) -> None:
        check_choice("matrix", self.matrix, SYMBOLS)
        for name in ("row", "column"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), 0, MAX_INDEX))
        value = self.value
        if isinstance(value, NOT_A_NUMBER) or not isinstance(
            value, (int, float, np.integer, np.floating)
        ):
            raise SettingsError(f"The new value is {short_repr(value)} but must be a number")
        value = (
            value.item() if isinstance(value, np.generic) else value
        )  # float16 does not reach the limit
        if not abs(value) <= MAX_VALUE:
            raise SettingsError(f"The new value is {short_repr(value)} but must lie {VALUE_RANGE}")
        object.__setattr__(self, "value", float(value))

    @property
    def cell(self) -> tuple[str, int, int]:
        """Which number is replaced: matrix, row, column."""
        return self.matrix, self.row, self.column

    def encode(self) -> str:
        """Matrix, row, column and value as text; the value is the shortest that reads back as
        the same number.
        """
        name, value = self.matrix.replace("_", ""), repr(self.value).removesuffix(".0")
        return f"{name}_{self.row}_{self.column}_{value}"


@dataclass(frozen=True)
class Edits:
    """Edits in the order they were made, at most one for a cell: the last one counts. `Edits()` is
    none.

    An edit changes one cell of one matrix and nothing else: tied or orthonormal weights stop being
    so.
    Raises: SettingsError for more than `MAX_EDITS`.
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
        """One edit more; an earlier one of the same cell goes."""
        return Edits((*self.items, edit))

    def undo(self) -> Edits:
        """Without the last edit."""
        return Edits(self.items[:-1])

    def encode(self) -> str:
        """All edits as one text.

        It holds only letters, digits and "_", "-", ".": Python and browsers alike put these into an
        address as they are, where "=" and ";" would take three characters each.

        >>> Edits((Edit("w_q", 3, 5, 1.25), Edit("x", 0, 2, -0.5))).encode()
        'wq_3_5_1.25__x_0_2_-0.5'
        """
        return "__".join(edit.encode() for edit in self.items)

    @classmethod
    def decode(cls, text: str, most: int = MAX_URL_EDITS) -> Edits:
        """The edits of a text; of two for one cell the last counts. Raises: SettingsError
        naming the bad part.
        """
        if not text:
            return cls()
        _check_count(text.count("__") + 1, most)
        return cls(tuple(_decode(part) for part in text.split("__")))

    def url_value(self) -> str:
        """What stands in the URL of a page: the text itself, or the key of a kept one where
        it is too long.
        """
        return self.encode() if len(self.items) <= MAX_URL_EDITS else store_text(self.encode())

    @classmethod
    def from_url(cls, value: str) -> Edits:
        """The edits that a URL stands for. Raises: SettingsError."""
        return cls.decode(stored_text(value), MAX_EDITS) if is_key(value) else cls.decode(value)


def apply_edits(edits: Edits, inputs: Array, projections: Projections) -> tuple[Array, Projections]:
    """The inputs and weights with the edits in them; what is not edited is the same object. Shapes:
    inputs (T, D).

    Weightless layers have identity matrices, in which single cells can be changed like in any
    other. Where a layer has no W_O, an edit of it waits outside (`outside`) until there is one.

    >>> edits = Edits((Edit("x", 0, 1, 9.0),))
    >>> x, p = apply_edits(edits, np.zeros((2, 2)), Projections.weightless(2))
    >>> x.tolist()
    [[0.0, 9.0], [0.0, 0.0]]
    """
    changed: dict[str, Any] = {}
    short_repr = _matrices(inputs, projections)
    for edit in edits.items:
        if _inside(edit, short_repr):
            array = changed.setdefault(edit.matrix, np.array(short_repr[edit.matrix]))
            array[edit.row, edit.column] = edit.value
    for array in changed.values():
        array.setflags(write=False)
    inputs = changed.pop("x", inputs)
    return inputs, replace(projections, **changed) if changed else projections


def edits_outside(edits: Edits, trace: Trace) -> tuple[Edit, ...]:
    """The edits of cells that the layer does not have now, because a size or the kind of
    weights has changed.
    """
    short_repr = _matrices(trace.inputs[0], trace.projections)
    return tuple(edit for edit in edits.items if not _inside(edit, short_repr))


def outside_note(edits: Edits, trace: Trace) -> str:
    """What to say about the edits that lie outside; nothing when there is none."""
    count = len(edits_outside(edits, trace))
    if not count:
        return ""
    subject, verb = ("1 edit lies", "it is") if count == 1 else (f"{count:,} edits lie", "they are")
    return (
        f"{subject} outside the matrices now short_repr; {verb} kept, and back with the sizes and"
        " weights of before."
    )


def _matrices(inputs: Array, projections: Projections) -> Mapping[str, Array]:
    weights = {name: getattr(projections, name) for name in MATRICES}
    return {"x": inputs} | {name: array for name, array in weights.items() if array is not None}


def _inside(edit: Edit, short_repr: Mapping[str, Array]) -> bool:
    if edit.matrix not in short_repr:
        return False
    n_rows, n_columns = short_repr[edit.matrix].shape
    return bool(edit.row < n_rows and edit.column < n_columns)


def _check_count(count: int, most: int) -> None:
    if count > most:
        raise SettingsError(
            f"There are {count:,} edits, but at most {most:,} can be kept here: undo some"
        )


def _decode(part: str) -> Edit:
    pieces = part.split("_")
    problem = f"The edit {part[:_LONGEST]!r} is not understood"
    if len(pieces) != 4 or len(part) > _LONGEST:
        raise SettingsError(
            f"{problem}: it must be matrix, row, column and value, such as wq_3_5_1.25"
        )
    code, row, column, value = pieces
    if code not in _CODES:
        raise SettingsError(
            f"{problem}: its matrix is {code!r} but must be one of {', '.join(_CODES)}"
        )
    for name, place in (("row", row), ("column", column)):
        if not _PLACE.fullmatch(place) or int(place) > MAX_INDEX:
            raise SettingsError(
                f"{problem}: its {name} is {place!r} but must be a whole number from 0 to"
                f" {MAX_INDEX}"
            )
    if not _NUMBER.fullmatch(value) or not abs(float(value)) <= MAX_VALUE:
        raise SettingsError(f"{problem}: its value is {value!r} but must be a number {VALUE_RANGE}")
    return Edit(_CODES[code], int(row), int(column), float(value))
