"""The layer as it is and with one thing changed: both runs, their differences, and notes on what a
change of sizes or masks does to the weights and to the sequence.

At the end: a sentence in a batch compared with the same sentence alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from attention_core import AttentionError
from attention_core.checks import Array, check_choice
from attention_core.errors import SettingsError
from attention_core.projections import MATRICES
from attention_core.trace import STEPS, Trace, head_columns, head_of

from .by_hand import HANDMADE_LAYERS, HEAD_WIDTH
from .cache import cached
from .choices import SEEDED_WEIGHTS, resolve
from .rounding import tolerance
from .scenario import Scenario, projections_of, sequence_of, trace_of
from .sentences import alone, in_batch, tokens_of
from .state_file import check_field

# Controls that change the number of tokens, and so the sizes of matrices, and the user's own
# numbers.
NOT_COMPARABLE = ("n_tokens", "piece", "batch", "edits", "own", "painted")
COMPARABLE = tuple(name for name in asdict(Scenario()) if name not in NOT_COMPARABLE)
# The value to compare with; if the scenario has that value already, the second one. Switches
# have no entry: the other value is taken.
OTHER_VALUES: Mapping[str, tuple[Any, Any]] = {
    "embedding": ("integers", "normal"),
    "d_model": (32, 16),
    "n_heads": (1, 2),
    "d_k": (2, 4),
    "d_v": (2, 4),
    "d_o": (6, 4),
    "weights": ("random", "weightless"),
    "layer": (3, 0),
    "init": ("normal", "xavier"),
    "seed": (1, 0),
    "without": ("0", "1"),
    "output_matrix": ("none", "W_O"),
    "scaling": ("off", "on"),
    "scale": (0.5, 1.0),
    "mask": ("causal", "none"),
    "window": (1, 2),
    "rotary": ("neighbours", "off"),
    "base": (100.0, 10_000.0),
    "start": (100, 0),
    "gain": (2.0, 1.0),
    "sink_logit": (2.0, 0.0),
    "cap": (1.0, 5.0),
}


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
        """The part of its attention that a query of a head gives to other keys after the change, on
        average: ½ Σ |after − before|. Units or range: 0 to 1.
        """
        before_TS, after_TS = self.matrices("probabilities", head)
        return float(0.5 * np.abs(after_TS - before_TS).sum(axis=-1).mean())


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


def other_value(scenario: Scenario, name: str) -> Any:
    """The value to compare with if none was chosen: another value of the control; for the sentence,
    its words in reverse order.
    """
    if name == "text":
        return " ".join(reversed(scenario.text.split()))
    value = getattr(scenario, name)
    first, second = (not value, value) if isinstance(value, bool) else OTHER_VALUES[name]
    return second if value == first else first


def value_in(name: str, text: str) -> Any:
    """The value of a control from its text in a URL. Raises: SettingsError for a value that the
    control cannot have.

    >>> value_in("n_heads", "4"), value_in("residual", "true"), value_in("mask", "causal")
    (4, True, 'causal')
    """
    kind = type(getattr(Scenario(), check_choice("name", name, COMPARABLE)))
    return check_field(name, _typed(text, kind))


def _typed(text: str, kind: type) -> Any:
    """A text as a value of a type; a text that cannot be converted is returned unchanged."""
    if kind is bool:
        return {"true": True, "false": False}.get(text, text)
    try:
        return kind(text) if text.isascii() and len(text) < 20 else text
    except ValueError:
        return text


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


SIZE_LABELS = {"d_model": "Embedding size", "n_heads": "Heads"}


def change_notes(before: Scenario | None, now: Scenario) -> tuple[str, ...]:
    """A note if weights by hand do not fit, if one size has changed, or if a padding mask has made
    the sequence longer.

    before: the scenario of the previous run, if there was one.
    """
    with suppress(AttentionError):
        if resolve(now).weights != now.weights:
            return (
                f"The weights by hand are made for {_handmade_sizes()}, each {HEAD_WIDTH} wide; at"
                " other sizes the weights are random.",
            )
        for name, label in SIZE_LABELS.items():
            size = getattr(now, name)
            if before and before != now == replace(before, **{name: size}):
                return _of_weights(
                    before, now, f"{label}: {size} instead of {getattr(before, name)}."
                )
        padded = before and replace(before, mask="padding", n_tokens=now.n_tokens)
        if before and now == padded and before.mask != "padding" and before.n_tokens < now.n_tokens:
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
    has_seed = resolve(before).weights == now.weights and now.weights in SEEDED_WEIGHTS
    if same or not has_seed:
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
