"""A sentence in a batch beside the same sentence alone: how far their numbers are apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.cache import cached
from attention_core.checks import Array
from attention_core.trace import STEPS, Trace

from .rounding import tolerance
from .scenario import Scenario, alone, in_batch, sequence_of, tokens_of, trace_of


@dataclass(frozen=True)
class Gap:
    """The field whose numbers are furthest apart, measured by what rounding can do.

    largest: the largest difference between two numbers. rounding: how far rounding alone can move
    numbers of this field. rows: how many real tokens were compared.
    """

    field: str
    largest: float
    rounding: float
    rows: int


@cached
def gap_alone(scenario: Scenario, sequence: int) -> Gap:
    """How far the real rows of one sentence of a batch are from those of the same sentence run
    alone, without a [pad]. Raises: AttentionError.

    >>> gap_alone(Scenario("we saw the cat", batch="It slept"), 1).rows
    2
    """
    rows = tokens_of(in_batch(scenario, sequence)).n_real
    inside = sequence_of(scenario, sequence)
    outside = trace_of(replace(alone(scenario, sequence), n_tokens=rows))
    gaps = [
        Gap(name, _apart(_real(inside, name, rows), getattr(outside, name)), limit, rows)
        for name in STEPS
        if (limit := tolerance(inside, name))
    ]
    return max(gaps, key=lambda gap: gap.largest / gap.rounding)


def _real(trace: Trace, name: str, rows: int) -> Array:
    """A field without what belongs to [pad]."""
    cut = tuple(slice(rows if letter in "TS" else None) for letter in STEPS[name].letters)
    array: Array = getattr(trace, name)[cut]
    return array


def _apart(one: Array, other: Array) -> float:
    """The largest difference of two arrays; minus infinity in both of them is no difference."""
    hidden = np.isneginf(one) & np.isneginf(other)
    gaps = np.abs(np.where(hidden, 0, one) - np.where(hidden, 0, other))
    return float(gaps.max())
