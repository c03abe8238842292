"""The layer as it is and with one thing changed: both runs, their differences, and notes on what a
change of sizes or masks does to the weights and to the sequence.

At the end: a sentence in a batch compared with the same sentence alone.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core import AttentionError
from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.projections import MATRICES
from attention_core.trace import STEPS, Trace, head_columns, head_of

from .by_hand import HANDMADE_LAYERS, HEAD_WIDTH
from .cache import cached
from .choices import DECLARED, resolve
from .mask_kinds import PADDING
from .rounding import tolerance
from .scenario import Scenario, projections_of, sequence_of, trace_of
from .sentences import alone, in_batch, tokens_of

# The choices of which two layers can be compared: those that change the number of tokens, and the
# user's own numbers, are left out.
COMPARABLE = tuple(name for name, one in DECLARED.items() if one.is_compared)


@dataclass(frozen=True)
class LargestChange:
    """The cell with the largest change between two matrices, and its two numbers."""

    row: int
    column: int
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class TwoLayers:
    """The layer as it is, and the layer with one thing changed.

    order: for each position of the changed layer, the token of the first one; empty if both have
    the same order.
    """

    before: Trace
    after: Trace
    order: tuple[int, ...] = ()

    @property
    def tokens(self) -> tuple[str, ...]:
        """One label for each position of the changed layer; where another word stood, also that."""
        if self.order:
            return self.after.labels("T")
        pairs = zip(self.before.labels("T"), self.after.labels("T"), strict=True)
        return tuple(one if one == other else f"{one} → {other}" for one, other in pairs)

    def head_beside(self, head: int) -> int:
        """The head of the changed layer to compare with: the same one, or its last."""
        return min(head, self.after.sizes["H"] - 1)

    def matrices(self, field: str, head: int) -> tuple[Array, Array]:
        """What a head has of a field in the first layer, in the order of the changed one, and in
        the changed one.
        """
        before = head_part(self.before, field, head)
        return self._in_order(field, before), head_part(self.after, field, self.head_beside(head))

    def _in_order(self, field: str, array: Array) -> Array:
        """The rows of tokens, and columns of keys, in the order of the changed layer."""
        rows, columns = STEPS[field].letters[-2:]
        if self.order and rows in "TS":
            array = array[..., list(self.order), :]
        if self.order and columns == "S":
            array = array[..., list(self.order)]
        return array

    def fields(self, head: int) -> tuple[str, ...]:
        """The fields of which a head has matrices of the same shape in both layers."""
        named = [name for name in self.before.steps if name in self.after.steps]
        pairs = {name: self.matrices(name, head) for name in named if name != "memory"}
        return tuple(name for name, (one, other) in pairs.items() if one.shape == other.shape)

    def differs(self, field: str) -> bool:
        """Whether a field differs by more than rounding."""
        one, other = self._in_order(field, getattr(self.before, field)), getattr(self.after, field)
        limit = self.rounding(field)
        return one.shape != other.shape or not np.allclose(
            one, other, rtol=0, atol=limit, equal_nan=True
        )

    def gap(self, field: str) -> float:
        """The largest difference of a field, over all heads; of cells that both layers show."""
        one, other = self._in_order(field, getattr(self.before, field)), getattr(self.after, field)
        gaps = np.abs(differences(one, other))
        return float(np.max(gaps, where=np.isfinite(gaps), initial=0.0))

    def rounding(self, field: str) -> float:
        """How much a field can differ by rounding alone."""
        return max(tolerance(trace, field) for trace in (self.before, self.after))

    @property
    def first_difference(self) -> str | None:
        """The first field that differs by more than rounding; None if none does."""
        named = (name for name in self.before.steps if name in self.after.steps)
        return next((name for name in named if self.differs(name)), None)

    def moved_share(self, head: int) -> float:
        """The part of its attention that a query of a head gives elsewhere after the change, on
        average: ½ Σ |after − before|. What its shares lack to 1, because a sink has it or nothing,
        counts as one more place. Units or range: 0 to 1.
        """
        before_TS, after_TS = self.matrices("probabilities", head)
        gap_TS = after_TS - before_TS
        moved_T = np.abs(gap_TS).sum(axis=-1) + np.abs(gap_TS.sum(axis=-1))
        return float(0.5 * moved_T.mean())


def head_part(trace: Trace, field: str, head: int) -> Array:
    """What a head has of a field: its matrix, its block of columns, or all if no head owns it.
    Shapes: (rows, columns).
    """
    step = STEPS[field]
    array: Array = getattr(trace, field)[0]
    if step.per_head:
        array = array[head_of(trace, field, head)]
    elif "·" in step.letters[-1]:
        array = array[:, head_columns(trace, field, head)]
    return array


def compare_with(scenario: Scenario, name: str, value: Any) -> TwoLayers:
    """The layer of a scenario, and of the same scenario with one control set to a value.

    Raises: AttentionError if there is no such layer, or if it has another number of tokens.
    """
    before, after = trace_of(scenario), trace_of(replace(scenario, **{name: value}))
    lengths = [trace.sizes["T"] for trace in (before, after)]
    if lengths[0] != lengths[1]:
        raise SettingsError(
            f"The layers have {lengths[0]} and {lengths[1]} tokens, but must have the same number:"
            " choose another sentence or other weights, or set the sequence length"
        )
    return TwoLayers(before, after)


def largest_change(before: Array, after: Array, rounding: float = 0.0) -> LargestChange | None:
    """The cell with the largest difference between two matrices; None if no difference exceeds the
    rounding. Cells that are minus infinity in one of them, because they are hidden, do not count.

    >>> largest_change(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]))
    LargestChange(row=0, column=0, before=0.5, after=0.75)
    """
    gaps = np.abs(differences(before, after))
    gaps[~np.isfinite(gaps)] = 0.0
    row, column = divmod(int(gaps.argmax()), gaps.shape[1])
    if gaps[row, column] <= rounding:
        return None
    return LargestChange(row, column, float(before[row, column]), float(after[row, column]))


def differences(before: Array, after: Array) -> Array:
    """After minus before, cell by cell; minus infinity where one of them is. Shapes: (R, C)."""
    hidden = np.isneginf(before) | np.isneginf(after)
    first, second = (np.where(np.isneginf(one), 0.0, one) for one in (before, after))
    gap: Array = np.where(hidden, -np.inf, second - first)
    return gap


def _handmade_sizes() -> str:
    return " or ".join(f"{width} features and {count} heads" for width, count in HANDMADE_LAYERS)


def change_notes(before: Scenario | None, now: Scenario) -> tuple[str, ...]:
    """A note if weights by hand do not fit, if one size has changed, or if a padding mask has made
    the sequence longer.

    before: the scenario of the previous run, if there was one.
    """
    with suppress(AttentionError):
        if resolve(now).chosen.weights != now.weights:
            return (
                f"The weights by hand are made for {_handmade_sizes()}, each {HEAD_WIDTH} wide; at"
                " other sizes the weights are random.",
            )
        for name in ("d_model", "n_heads"):
            size, label = getattr(now, name), DECLARED[name].label
            if before and before != now == replace(before, **{name: size}):
                return _of_weights(
                    before, now, f"{label}: {size} instead of {getattr(before, name)}."
                )
        mask = PADDING.name
        padded = before and replace(before, mask=mask, n_tokens=now.n_tokens)
        if before and now == padded and before.mask != mask and before.n_tokens < now.n_tokens:
            return (f"Sequence length: {now.n_tokens}, so that the mask has [pad] to hide.",)
    return ()


def _of_weights(before: Scenario, now: Scenario, change: str) -> tuple[str, ...]:
    old, new = (projections_of(scenario) for scenario in (before, now))
    same = all(np.array_equal(getattr(old, name), getattr(new, name)) for name in MATRICES)
    if same and (old.n_heads, old.d_k) != (new.n_heads, new.d_k):
        return (
            f"{change} The weights are the same, split into {new.n_heads} instead of {old.n_heads}"
            " heads.",
        )
    kind = resolve(before).weights
    if same or kind.name != now.weights or not kind.is_drawn:
        return ()
    note = f"{change} The weights are drawn anew."
    if before.d_model != now.d_model:
        note += " Word vectors keep their first numbers."
    return (note,)


@dataclass(frozen=True)
class Gap:
    """The field with the largest difference, relative to its rounding.

    largest: the largest difference between two numbers. rounding: the largest effect of rounding on
    this field. rows: the number of real tokens that were compared.
    """

    field: str
    largest: float
    rounding: float
    rows: int


@cached
def gap_alone(scenario: Scenario, sequence: int) -> Gap:
    """The difference between the real rows of one sentence in a batch and the same sentence alone,
    without [pad]. Raises: AttentionError.

    >>> gap_alone(Scenario("we saw the cat", batch="It slept"), 1).rows
    2
    """
    rows = tokens_of(in_batch(scenario, sequence)).n_real
    inside = sequence_of(scenario, sequence)
    by_itself = trace_of(replace(alone(scenario, sequence), n_tokens=rows))
    gaps = [
        Gap(name, _apart(_real(inside, name, rows), getattr(by_itself, name)), limit, rows)
        for name in inside.steps
        if (limit := tolerance(inside, name))
    ]
    return max(gaps, key=lambda gap: gap.largest / gap.rounding)


def _real(trace: Trace, name: str, rows: int) -> Array:
    """A field without the rows and columns of [pad]."""
    cut = tuple(slice(rows if letter in "TS" else None) for letter in STEPS[name].letters)
    array: Array = getattr(trace, name)[cut]
    return array


def _apart(one: Array, other: Array) -> float:
    """The largest difference of two arrays; minus infinity in both counts as 0."""
    hidden = np.isneginf(one) & np.isneginf(other)
    gaps = np.abs(np.where(hidden, 0, one) - np.where(hidden, 0, other))
    return float(gaps.max())
