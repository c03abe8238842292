"""What the matrix board gets: arrays as bytes, rules as plain lists, and where they come from.

Numbers travel as little-endian float32 and masked cells as bits beside them, so that no number is
infinite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.derivation import array_of
from attention_core.rules import Position, Read, Rule
from attention_core.steps import GIVEN_AXES
from attention_lab.column_names import ColumnNames
from attention_lab.notation.notation import OURS, Notation, written_name
from attention_lab.words.embeddings import INPUT_RULE
from attention_viz.derived_arrays import DERIVED_ARRAYS, SPLITS, derived_array_of, shape_of

from .labels import shown_numbers
from .names import axis_labels, role_of, symbol_of, title_of

JSON = dict[str, Any]  # may hold bytes, which `scene_formats` encodes
Window = tuple[int, int]

# Fields with the colour scale of another one, so that the effect of a step can be seen.
COLOUR_SCALES = {name: "scores" for name, step in STEPS.items() if step.kind == "logit"}
# The arrays whose colour scale derived arrays have; logits have that of the scores, and without one
# the scale goes from 0 to 1.
DERIVED_COLOUR_SCALES = {
    "weighted_values": "head_outputs",
    "head_contributions": "output",
    "row_sum": "scores",
    "merged_unswapped": "merged",
} | {f"{way}_{source}": source for way in ("reshaped", "unswapped") for source in SPLITS}


@dataclass(frozen=True, eq=False)
class Stage:
    """Where the arrays of a scene come from: the trace, arrays beside it, and the part that is sent
    of large ones.

    windows: by axis letter, as `Step` writes it, the first index that is sent and the one after the
    last. own_scale: every head has a colour scale of its own. before: the trace without the user's
    edits; cells that differ are outlined. notation: gives the symbols, and whether tokens are rows
    or columns. names: of the columns, if they have names. n_real: how many tokens of a sequence of
    a batch are real; the others are marked. pieces: whether pieces of a word stand alone.
    """

    trace: Trace
    extra: Mapping[str, Array] = field(default_factory=dict)
    windows: Mapping[str, Window] = field(default_factory=dict)
    own_scale: bool = False
    before: Trace | None = None
    notation: Notation = OURS
    names: ColumnNames | None = None
    n_real: int | None = None
    pieces: bool = False

    def letters(self, name: str) -> tuple[str, ...]:
        """The axes of an array, as they are declared."""
        if name in STEPS:
            return STEPS[name].letters
        if name in DERIVED_ARRAYS:
            return derived_array_of(self.trace, name).axes
        return tuple(GIVEN_AXES[name].split())

    def symbol(self, name: str) -> str:
        """The symbol of an array as the formulas beside the board write it."""
        return symbol_of(written_name(self.trace, name), self.notation)

    def rule(self, name: str) -> Rule | None:
        """How the cells of an array are computed; None for arrays that are given."""
        if name == "inputs" and self._sums_words:
            return INPUT_RULE
        if name in DERIVED_ARRAYS:
            return derived_array_of(self.trace, name).rule
        if name in STEPS and name != "inputs":
            return self.trace.rule(name)
        return None

    @property
    def _sums_words(self) -> bool:
        """Whether the inputs are the word vectors plus the position codes in `extra`; with edited
        cells they are not.
        """
        parts = self.extra
        return "words" in parts and np.array_equal(
            parts["words"] + parts["positions"], self.trace.inputs[0]
        )

    def shape(self, name: str) -> tuple[int, ...]:
        """The lengths of an array's axes, of the part that is sent."""
        windows = {} if name in DERIVED_ARRAYS else self.windows
        sizes = zip(self.letters(name), self.whole_shape(name), strict=True)
        return tuple(len(range(*slice(*windows.get(a, (None,))).indices(n))) for a, n in sizes)

    def whole_shape(self, name: str) -> tuple[int, ...]:
        """The lengths of an array's axes."""
        if name in DERIVED_ARRAYS:
            return shape_of(self.trace, derived_array_of(self.trace, name))
        return tuple(self.values(name).shape)

    def values(self, name: str) -> Array:
        """The numbers of an array that is sent whole or in part."""
        array = self.extra.get(name)
        return array_of(self.trace, name) if array is None else array

    def windowed(self, letter: str, window: Window) -> Stage:
        """The same arrays, with only a window of one axis sent."""
        return replace(self, windows={**self.windows, letter: window})


def board_json(
    description: str,
    arrays: JSON,
    axes: JSON,
    panels: Sequence[JSON],
    cell: tuple[str, Sequence[int]] | None,
    notation: Notation = OURS,
    **about: Any,
) -> JSON:
    """A scene of arrays and panels. cell: the array and the index of the pinned cell. about: what
    differs from a board with arithmetic, without rules and without a player.
    """
    pinned = cell and {"array": cell[0], "index": [int(place) for place in cell[1]]}
    return {
        "description": description,
        "arrays": arrays,
        "rules": {},
        "axes": axes,
        "panels": list(panels),
        "cell": pinned,
        "player": False,
        "arithmetic": True,
        "transposed": notation.convention == "column",
    } | about


def panel_json(
    name: str, title: str, badge: str, place: Sequence[int], role: str = "operand", **about: Any
) -> JSON:
    """A panel of a scene with the matrix of an array of two axes. about: entries that differ."""
    return {
        "id": name,
        "array": name,
        "rows": 0,
        "columns": 1,
        "place": list(place),
        "role": role,
        "title": title,
        "badge": badge,
        "size": "full",
    } | about


def float_bytes(numbers: Array) -> bytes:
    r"""Numbers as little-endian float32.

    >>> float_bytes(np.array([1.0]))
    b'\x00\x00\x80?'
    """
    return np.asarray(numbers, "<f4").tobytes()


def pack_bits(flags: Array) -> bytes:
    """One bit for each cell, eight to a byte, the first in the lowest bit."""
    return np.packbits(flags, axis=None, bitorder="little").tobytes()


def array_json(stage: Stage, name: str) -> JSON:
    """An array for the board: axes, shape, words, colour scale and numbers. docs/board.md explains
    the entries.
    """
    letters = stage.letters(name)
    title = title_of(name, stage.notation.layout) or stage.symbol(name)
    about: JSON = {"axes": list(stage.trace.shown(letters)), "title": title, "role": role_of(name)}
    whole = stage.whole_shape(name)
    if name in DERIVED_ARRAYS:
        kind = derived_array_of(stage.trace, name).kind
        about |= {"shape": list(whole), "kind": kind, "limit": _derived_limit(stage, name)}
    else:
        about |= _numbers(stage, name)
    if stage.names and (names := axis_labels(name, letters, whole, stage.names)):
        about["names"] = names
    return about


def _numbers(stage: Stage, name: str) -> JSON:
    """The numbers of an array that are sent, and which of them are hidden or changed."""
    kind = getattr(STEPS.get(name), "kind", "feature")
    whole = stage.values(name)
    cut = tuple(slice(*stage.windows.get(letter, (0, None))) for letter in stage.letters(name))
    about = sent_numbers(
        whole,
        kind,
        cut,
        hatched=stage.trace.hidden if name == "probabilities" else None,
        changed=_changed(stage, name),
    )
    return about | {"limit": colour_limit(stage, name)}


def sent_numbers(
    numbers: Array,
    kind: str,
    cut: Sequence[slice] = (),
    hatched: Array | None = None,
    changed: Array | None = None,
    pale: Array | None = None,
) -> JSON:
    """The numbers of an array for the board, or the part of them in `cut`; minus infinity is a
    hidden cell, NaN one that stays empty. hatched: cells that are 0 because their key is hidden;
    changed: those to outline; pale: those that were computed earlier.
    """
    cut = tuple(cut) or (slice(None),) * numbers.ndim
    part = numbers[cut]
    hidden = np.isneginf(part)
    about: JSON = {
        "shape": list(part.shape),
        "kind": kind,
        "data": float_bytes(np.where(hidden, 0, shown_numbers(part, kind))),
    }
    if part.shape != numbers.shape:
        about |= {"start": [s.start or 0 for s in cut], "whole": list(numbers.shape)}
    given = {"hatched": hatched, "changed": changed, "pale": pale}
    marks = {"masked": hidden} | {name: m[cut] for name, m in given.items() if m is not None}
    return about | {name: pack_bits(mark) for name, mark in marks.items() if mark.any()}


def colour_limit(stage: Stage, name: str) -> float | JSON | None:
    """The value with the strongest colour: one for the whole array, or one for each head; None if
    the scale goes from 0 to 1.
    """
    if name in STEPS and STEPS[name].kind == "probability" and not stage.own_scale:
        return None
    array = stage.values(COLOUR_SCALES.get(name, name))
    letters = stage.letters(name)
    if stage.own_scale and len(letters) == 4:
        return {
            "axis": 1,
            "values": [round(largest_magnitude(array[:, h]), 6) for h in range(array.shape[1])],
        }
    return round(largest_magnitude(array), 6)


def _derived_limit(stage: Stage, name: str) -> float | None:
    """A derived array has the colour scale of the array it is made from; that of shares and
    exponentials goes from 0 to 1.
    """
    is_logit = derived_array_of(stage.trace, name).kind == "logit"
    source = "scores" if is_logit else DERIVED_COLOUR_SCALES.get(name)
    if source is None:
        return None
    return round(largest_magnitude(array_of(stage.trace, source)), 6)


def _changed(stage: Stage, name: str) -> Array | None:
    """Which cells the user's edits changed; None if that cannot be compared."""
    if stage.before is None or name in stage.extra:
        return None
    now, then = array_of(stage.trace, name), array_of(stage.before, name)
    if now.shape != then.shape:
        return None
    return np.not_equal(now, then)


def rule_json(rule: Rule) -> JSON:
    """A rule for the board, without parts that have no effect."""
    has_own = rule.operation in ("softmax", "norm")
    about = {
        "operation": rule.operation,
        "length": rule.length,
        "reads": list(map(_read, rule.reads)),
    }
    return about | present(
        adds=list(map(_read, rule.adds)),
        position=_position(rule.own) if has_own else None,
        softcap=rule.softcap,
        epsilon=rule.epsilon,
        centred=rule.centred,
    )


def present(**entries: Any) -> JSON:
    """The entries that say something: no None, no 0, nothing empty."""
    return {name: value for name, value in entries.items() if value}


def _read(r: Read) -> JSON:
    return {"array": r.array, "at": [_position(p) for p in r.at]}


def _position(p: Position) -> JSON:
    parts = [[_position(of) if isinstance(of, Position) else of, times] for of, times in p.parts]
    over = p.over if p.over != 1 else None
    return {"parts": parts} | present(over=over, modulo=p.modulo, plus=p.plus)


def largest_magnitude(matrix: Array) -> float:
    """The largest absolute value that is not masked; 1 if all are 0."""
    return float(np.abs(matrix, where=np.isfinite(matrix), out=np.zeros(matrix.shape)).max()) or 1.0
