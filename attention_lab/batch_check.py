"""A sentence in a batch compared with the same sentence alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.trace import STEPS, Trace

from .cache import cached
from .rounding import tolerance
from .scenario import Scenario, sequence_of, trace_of
from .sentences import alone, in_batch, tokens_of


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
        for name in STEPS
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
