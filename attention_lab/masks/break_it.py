"""A layer with a mistake: what it computes, which checks it passes, and the first wrong field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention_core.cache import cached
from attention_core.masks import causal_mask
from attention_core.trace import Trace

from ..heads.reruns import rerun
from ..scenario import Scenario, trace_of
from .mistake_checks import Verdict, verdicts
from .mistakes import MISTAKES, Mistake, first_difference
from .replaced_steps import CORRECT_STEPS, Steps, given_of, run

NO_MISTAKE = "none"


@dataclass(frozen=True, eq=False)
class Examined:
    """A right layer, the same layer with a mistake, the verdicts of all checks, and the first field
    that differs.

    faulty: the layer with the mistake; the right layer if there is no mistake.
    """

    right: Trace
    faulty: Trace
    verdicts: Mapping[str, Verdict]
    differs_from: str | None


def mistake_of(key: str) -> Mistake | None:
    """The mistake with a key; None for "none"."""
    return {NO_MISTAKE: None, **{mistake.key: mistake for mistake in MISTAKES}}[key]


@cached
def examined(scenario: Scenario, key: str, masked: bool = False) -> Examined:
    """The layer of a scenario with a mistake, and the verdicts of all checks.

    masked: use a causal mask if the scenario has no mask. Raises: AttentionError.
    """
    right = trace_of(scenario)
    if masked and right.mask is None:
        right = rerun(right, mask=causal_mask(right.sizes["T"]))
    mistake = mistake_of(key)
    steps: Steps = mistake.steps if mistake else CORRECT_STEPS
    faulty = run(given_of(right), steps)
    return Examined(right, faulty, verdicts(right, steps), first_difference(right, faulty))
