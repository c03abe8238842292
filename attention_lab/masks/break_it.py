"""A layer with a mistake: what it computes, which checks it passes, and the first wrong field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention_core.masks import causal_mask
from attention_core.trace import Trace

from ..cache import cached
from ..heads.reruns import rerun
from ..scenario import Scenario, trace_of
from .mistake_checks import CheckResult, run_checks
from .mistakes import MISTAKES, Mistake, first_difference
from .replaced_steps import CORRECT_STEPS, ReplacedSteps, run_inputs, run_with_steps

NO_MISTAKE = "none"


@dataclass(frozen=True, eq=False)
class ExaminedLayer:
    """A right layer, the same layer with a mistake, the results of all checks, and the first field
    that differs.

    faulty: the layer with the mistake; the right layer if there is no mistake.
    """

    right: Trace
    faulty: Trace
    results: Mapping[str, CheckResult]
    first_wrong_field: str | None


def mistake_by_key(key: str) -> Mistake | None:
    """The mistake with a key; None for "none"."""
    return {NO_MISTAKE: None, **{mistake.key: mistake for mistake in MISTAKES}}[key]


@cached
def examine_layer(scenario: Scenario, key: str, masked: bool = False) -> ExaminedLayer:
    """The layer of a scenario with a mistake, and the results of all checks.

    masked: use a causal mask if the scenario has no mask. Raises: AttentionError.
    """
    right = trace_of(scenario)
    if masked and right.mask is None:
        right = rerun(right, mask=causal_mask(right.sizes["T"]))
    mistake = mistake_by_key(key)
    steps: ReplacedSteps = mistake.steps if mistake else CORRECT_STEPS
    faulty = run_with_steps(run_inputs(right), steps)
    return ExaminedLayer(right, faulty, run_checks(right, steps), first_difference(right, faulty))
