"""How far two runs of a layer lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, as_list, check_alike, short_repr, whole_number
from attention_core.errors import SettingsError
from attention_core.trace import Trace


@dataclass(frozen=True)
class Gaps:
    """The largest differences between two runs: of a probability, and of a number of the output."""

    probabilities: float
    output: float


def gaps(before: Trace, after: Trace) -> Gaps:
    """How far the probabilities and the output of two runs lie apart. Raises: ShapeError."""
    check_alike("probabilities", after.probabilities, "those before", before.probabilities)
    check_alike("output", after.output, "that before", before.output)
    return Gaps(
        _largest(after.probabilities - before.probabilities), _largest(after.output - before.output)
    )


def permutation_gaps(straight: Trace, shuffled: Trace, order: Sequence[int]) -> Gaps:
    """How far a run on shuffled tokens is from the shuffled run: f(PX) against P f(X), and its A
    against P A Pᵀ.

    order: which token of the straight run stands at each place of the shuffled one. 0 but for
    rounding when the layer sees no order; self-attention only.
    """
    check_alike(
        "probabilities", shuffled.probabilities, "those of the straight run", straight.probabilities
    )
    rows = [
        whole_number("order", place, 0, straight.sizes["T"] - 1)
        for place in as_list("order", order)
    ]
    if sorted(rows) != list(range(straight.sizes["S"])):
        raise SettingsError(
            f"order is {short_repr(order)} but must name every token once, of one sequence"
        )
    moved_BHTS = straight.probabilities[:, :, rows][..., rows]
    return Gaps(
        _largest(shuffled.probabilities - moved_BHTS),
        _largest(shuffled.output - straight.output[:, rows]),
    )


def _largest(differences: Array) -> float:
    return float(np.abs(differences).max())
