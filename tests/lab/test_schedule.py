"""What can run at once: boxes wait for exactly those whose numbers they read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_core.trace import STEPS, Trace
from attention_lab.heads.counts import layer_size, total_count
from attention_lab.heads.schedule import BoxKey, Schedule, schedule
from attention_lab.heads.shared_keys import MULTIPLICATIONS

T, S, D = 5, 7, 12
# Options of the layer, and its depth, counted by hand.
LAYERS = {
    "usual": ({}, 7),  # Q K V, scores, scaled, softmax, read, merge, W_O
    "causal": ({"causal": True}, 8),  # the mask hides something, and takes a moment
    "open mask": ({"mask": np.ones((T, T), dtype=bool)}, 7),
    "bias": ({"bias": np.zeros((T, T))}, 8),
    "residual": ({"residual": True}, 7),
}


def layer(n_heads: int = 4, n_kv_heads: int = 2, **options: object) -> Trace:
    """A layer on numbers of a seed."""
    weights = Projections.random(D, n_heads, d_k=3, d_v=2, n_kv_heads=n_kv_heads, bias=True)
    return attend(np.random.default_rng(3).normal(size=(T, D)), weights, **options)  # type: ignore[arg-type]


def after(plan: Schedule, key: BoxKey) -> set[BoxKey]:
    """The boxes that wait for one, near or far."""
    found = {key}
    for box in plan.boxes:
        if found.intersection(box.waits_for):
            found.add(box.key)
    return found


def moved(before: Trace, later: Trace, plan: Schedule) -> set[BoxKey]:
    """The boxes whose numbers differ between two layers."""
    found = set()
    for box in plan.boxes:
        arrays = [getattr(one, box.field) for one in (before, later)]
        if box.parts > 1:
            axis = 1 if STEPS[box.field].per_head else 2
            arrays = [np.split(array, box.parts, axis)[box.head] for array in arrays]
        if (arrays[0] != arrays[1]).any():
            found.add(box.key)
    return found


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize(
    ("matrix", "field", "parts"), [("w_q", "queries", 4), ("w_k", "keys", 2), ("w_v", "values", 2)]
)
def test_boxes_that_wait_change(name: str, matrix: str, field: str, parts: int) -> None:
    options, _ = LAYERS[name]
    before = layer(**options)  # type: ignore[arg-type]
    plan = schedule(before)
    for part in range(parts):
        weights = getattr(before.projections, matrix).copy()
        np.split(weights, parts, axis=1)[part][...] += 1
        changed = replace(before.projections, **{matrix: weights})
        later = attend(before.inputs, changed, **options)  # type: ignore[arg-type]
        assert moved(before, later, plan) == after(plan, (field, part))


@pytest.mark.parametrize("name", LAYERS)
def test_the_depth_of_a_layer(name: str) -> None:
    options, depth = LAYERS[name]
    for n_heads in (2, 6):
        plan = schedule(layer(n_heads, **options))  # type: ignore[arg-type]
        moments = {box.key: box.moment for box in plan.boxes}
        assert plan.depth == depth
        for box in plan.boxes:
            assert box.moment == max((moments[key] + 1 for key in box.waits_for), default=0)


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(1, 1), (4, 4), (6, 2)])
def test_multiplications_are_those_of_the_formulas(n_heads: int, n_kv_heads: int) -> None:
    trace = layer(n_heads, n_kv_heads)
    size, plan = layer_size(trace), schedule(trace)
    n_scores = n_heads * T * T
    assert plan.multiplications == total_count(MULTIPLICATIONS, size) + n_scores
    assert sum(box.exponentials for box in plan.boxes) == n_scores
    # One head: a projection, scores, scale, mixing; then W_O.
    chain = T * D * 3 + T * T * 3 + T * T + T * T * 2 + T * n_heads * 2 * D
    assert plan.longest_chain == chain


def test_a_memory_is_an_input_too() -> None:
    rng = np.random.default_rng(3)
    weights = Projections.random(D, 2, d_memory=11)
    trace = attend(rng.normal(size=(T, D)), weights, memory=rng.normal(size=(S, 11)))
    waits = {box.key: box.waits_for for box in schedule(trace).boxes}
    assert waits["inputs", 0] == waits["memory", 0] == ()
    assert waits["queries", 1] == (("inputs", 0),)
    assert waits["keys", 1] == waits["values", 0] == (("memory", 0),)
