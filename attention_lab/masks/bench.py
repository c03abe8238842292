"""A broken layer on the bench: what it computes, which checks it passes, and where it first
goes wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention_core.cache import cached
from attention_core.masks import causal_mask
from attention_core.trace import Trace

from ..heads.reruns import rerun
from ..scenario import Scenario, trace_of
from .fault_checks import Verdict, verdicts
from .faults import FAULTS, Fault, first_difference
from .replaced_steps import CORRECT_STEPS, Steps, given_of, run

NO_FAULT = "none"


@dataclass(frozen=True, eq=False)
class Examined:
    """A right layer, the same layer with a fault, the answers of all checks, and the first field
    that differs.

    faulty: what the layer with the fault computes; the right numbers where there is no fault.
    """

    right: Trace
    faulty: Trace
    verdicts: Mapping[str, Verdict]
    differs_from: str | None


def fault_of(key: str) -> Fault | None:
    """The fault of a key; None for "none"."""
    return {NO_FAULT: None, **{fault.key: fault for fault in FAULTS}}[key]


@cached
def examined(scenario: Scenario, key: str, masked: bool = False) -> Examined:
    """The layer of a scenario with a fault, put to all checks.

    masked: under a causal mask where the scenario has no mask. Raises: AttentionError.
    """
    right = trace_of(scenario)
    if masked and right.mask is None:
        right = rerun(right, mask=causal_mask(right.sizes["T"]))
    fault = fault_of(key)
    steps: Steps = fault.steps if fault else CORRECT_STEPS
    faulty = run(given_of(right), steps)
    return Examined(right, faulty, verdicts(right, steps), first_difference(right, faulty))
