"""Tests of a layer from outside: which still pass with a mistake, and which give it away.

A layer is examined at the end: what it computes, which tests it passes, the first wrong field.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.initialisation import Stream, generator
from attention_core.masks import causal_mask
from attention_core.trace import Trace

from ..cache import cached
from ..compare import TwoLayers
from ..heads.reruns import rerun
from ..home import read_table
from ..rounding import RELATIVE_ROUNDING, tolerance
from ..scenario import Scenario, trace_of
from .invariances import shuffled_order
from .mistakes import CORRECT_STEPS, MISTAKES, ReplacedSteps, RunInputs, run_inputs, run_with_steps


@dataclass(frozen=True)
class CheckResult:
    """Whether a check passed, and the result in one sentence. gap: the largest difference, if the
    sentence names one.
    """

    passed: bool
    sentence: str
    gap: float | None = None


Run = Callable[[RunInputs, ReplacedSteps], CheckResult]


@dataclass(frozen=True)
class MistakeCheck:
    """One test of a layer; its words are a row of `assets/data/mistake_checks.csv`. run: returns
    the result for inputs and steps.
    """

    key: str
    name: str
    question: str
    run: Run


_WORDS = {row["key"]: row for row in read_table("mistake_checks")}


def _judged(name: str, gap: float, limit: float, *places: int) -> CheckResult:
    """A check that passes if a difference is within a limit; otherwise its number ends the
    sentence.
    """
    words = _WORDS[name]
    if gap <= limit:
        return CheckResult(True, words["passed"].format(*places))
    return CheckResult(False, f"{words['failed'].format(*places)} {gap:.3g}.", gap)


def _shapes(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    try:
        run_with_steps(given, steps)
    except ValueError as error:  # of NumPy, or a ShapeError of the record
        return CheckResult(False, f"The arrays do not fit together: {error}.")
    return CheckResult(True, f"All {len(given.trace.steps)} arrays have the right shapes.")


def _row_sums(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    layer = run_with_steps(given, steps)
    sums = layer.probabilities.sum(axis=-1)
    sums = sums if layer.sink_share is None else sums + run_with_steps(given).sink_share
    sums = sums[~layer.empty_rows]
    return _judged("row_sums", _gap(sums, np.ones_like(sums)), RELATIVE_ROUNDING[sums.dtype])


def _hidden_keys(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    hidden_TS = np.asarray(np.isneginf(run_with_steps(given).masked_scores).all(axis=(0, 1)))
    if given.own_memory:
        np.fill_diagonal(hidden_TS, False)  # a changed token always changes its own output
    if not hidden_TS.any():
        return CheckResult(True, "No key is hidden here, so nothing can leak: try a mask.")
    key = int(hidden_TS.sum(axis=0).argmax())
    which = "inputs" if given.own_memory else "memory"
    sequence = getattr(given, which).copy()
    sequence[:, key] += 1
    changed = replace(given, **{which: sequence})
    before, after = run_with_steps(given, steps), run_with_steps(changed, steps)
    blind = hidden_TS[:, key]
    return _judged(
        "hidden_keys",
        _gap(after.output[:, blind], before.output[:, blind]),
        max(tolerance(before, "output"), tolerance(after, "output")),
        key,
    )


def _permutation(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    if given.trace.rotary is not None:
        told = "Rotary positions tell the order, so a shuffle changes the output."
        return CheckResult(True, told)
    order = list(shuffled_order(given.inputs.shape[1]))
    keys = order if given.own_memory else slice(None)
    mask, bias = (a if a is None else a[:, :, order][..., keys] for a in (given.mask, given.bias))
    moved = replace(given, inputs=given.inputs[:, order], mask=mask, bias=bias)
    straight, shuffled = run_with_steps(given, steps), run_with_steps(moved, steps)
    return _judged(
        "permutation",
        _gap(shuffled.output, straight.output[:, order]),
        tolerance(straight, "output"),
    )


def _repeated_call(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    return _judged(
        "repeated_call",
        _gap(run_with_steps(given, steps, call=1).output, run_with_steps(given, steps).output),
        0,
    )


def _different_heads(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    rng = generator(0, Stream.PROBES)
    probe = replace(given, inputs=_noise(rng, given.inputs), memory=_noise(rng, given.memory))
    declared, equal = _twins(run_with_steps(probe)), _twins(run_with_steps(probe, steps))
    extra = [pair for pair in equal if pair not in declared]
    if not extra:
        told = "On random inputs, heads with different weights compute different numbers."
        return CheckResult(True, told)
    told = "Heads {} and {} compute the same on random inputs, although their weights differ."
    return CheckResult(False, told.format(*extra[0]))


def _noise(rng: np.random.Generator, like: Array) -> Array:
    noise: Array = np.asarray(rng.standard_normal(like.shape), like.dtype)
    return noise


def _twins(layer: Trace) -> list[tuple[int, int]]:
    """The pairs of heads with equal queries, keys and values."""
    n_heads = layer.sizes["H"]
    readers = n_heads // layer.sizes["G"]
    shared = ("key_heads", "value_heads")
    compared = {name: getattr(layer, name).repeat(readers, axis=1) for name in shared}
    compared["query_heads"] = layer.query_heads
    limits = {name: tolerance(layer, name) for name in compared}
    pairs = ((a, b) for a in range(n_heads) for b in range(a + 1, n_heads))
    return [
        (a, b)
        for a, b in pairs
        if all(_gap(h[:, a], h[:, b]) <= limits[n] for n, h in compared.items())
    ]


def _whole_embedding(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    n_features, n_heads = given.inputs.shape[2], given.trace.sizes["H"]
    if n_heads == 1:
        return CheckResult(True, "There is only one head, so all features belong to it.")
    first = -(-n_features // n_heads)
    inputs = given.inputs.copy()
    inputs[..., first:] += 1 + generator(0, Stream.PROBES).random(n_features - first)
    changed = replace(given, inputs=inputs)
    if not _moves(given, changed, CORRECT_STEPS):
        told = "By its weights head 0 should read only its own features, and it does."
        return CheckResult(True, told)
    told = f"A change of the features from {first} on"
    if _moves(given, changed, steps):
        return CheckResult(True, f"{told} changes head 0: it reads more than a slice.")
    return CheckResult(False, f"{told} does not change head 0: it reads only a slice.")


def _moves(given: RunInputs, changed: RunInputs, steps: ReplacedSteps) -> bool:
    """Whether the queries of head 0 differ."""
    before, after = run_with_steps(given, steps), run_with_steps(changed, steps)
    return _gap(after.query_heads[:, 0], before.query_heads[:, 0]) > tolerance(after, "query_heads")


def _reference(given: RunInputs, steps: ReplacedSteps) -> CheckResult:
    right, layer = run_with_steps(given), run_with_steps(given, steps)
    return _judged("reference", _gap(layer.output, right.output), tolerance(right, "output"))


def _gap(one: Array, other: Array) -> float:
    """The largest difference. Two NaN count as equal; NaN and a number differ by infinity."""
    alike = np.isnan(one) & np.isnan(other)
    gaps = np.abs(np.where(alike, 0, one - other))
    return float(np.nan_to_num(gaps, nan=np.inf).max(initial=0.0))


_RUNS: Mapping[str, Run] = {
    "shapes": _shapes,
    "row_sums": _row_sums,
    "hidden_keys": _hidden_keys,
    "permutation": _permutation,
    "repeated_call": _repeated_call,
    "different_heads": _different_heads,
    "whole_embedding": _whole_embedding,
    "reference": _reference,
}
MISTAKE_CHECKS = tuple(
    MistakeCheck(key, row["name"], row["question"], _RUNS[key]) for key, row in _WORDS.items()
)


def run_checks(trace: Trace, steps: ReplacedSteps) -> dict[str, CheckResult]:
    """The results of all checks for a layer with these steps, run on the inputs of a trace."""
    given = run_inputs(trace)
    return {check.key: check.run(given, steps) for check in MISTAKE_CHECKS}


@dataclass(frozen=True, eq=False)
class ExaminedLayer:
    """A right layer and the same layer with a mistake, and the results of all checks."""

    two: TwoLayers
    results: Mapping[str, CheckResult]


@cached
def examine_layer(scenario: Scenario, key: str, masked: bool = False) -> ExaminedLayer:
    """The layer of a scenario with the mistake of a key, and the results of all checks.

    masked: use a causal mask if the scenario has no mask. Raises: AttentionError.
    """
    right = trace_of(scenario)
    if masked and right.mask is None:
        right = rerun(right, mask=causal_mask(right.sizes["T"]))
    steps = {one.key: one.steps for one in MISTAKES}[key]
    faulty = run_with_steps(run_inputs(right), steps)
    return ExaminedLayer(TwoLayers(right, faulty), run_checks(right, steps))
