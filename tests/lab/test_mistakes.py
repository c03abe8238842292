"""The classic mistakes: each is what its line of code says, and each is caught by the checks that
it should fail; a right layer passes all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, Trace, attend, softmax, split_heads
from attention_core.initialisation import Stream, generator
from attention_lab.compare import TwoLayers
from attention_lab.heads.reruns import rerun
from attention_lab.masks.mistake_checks import MISTAKE_CHECKS, examine_layer, run_checks
from attention_lab.masks.mistakes import (
    CORRECT_STEPS,
    DROPOUT_RATE,
    MISTAKES,
    Mistake,
    ReplacedSteps,
    hidden_mistake,
    run_inputs,
    run_with_steps,
)
from attention_lab.scenario import Scenario
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.refusal import missing

T, D, H, K, V = 7, 15, 3, 5, 2
EMPTY_ROWS = st.sampled_from(["zero", "nan"])
STEPS = {mistake.key: mistake.steps for mistake in MISTAKES}
every_mistake = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.key)


def causal(**sizes: Any) -> Trace:
    """A causal layer with every axis another number."""
    masked = sizes.pop("causal", True)
    weights = Projections.random(D, **{"n_heads": H, "d_k": K, "d_v": V} | sizes)
    return attend(np.random.default_rng(2).normal(size=(2, T, D)), weights, causal=masked)


def failed(trace: Trace, steps: ReplacedSteps) -> set[str]:
    """The checks that a layer does not pass."""
    return {key for key, verdict in run_checks(trace, steps).items() if not verdict.passed}


@settings(max_examples=30)
@given(calls(), EMPTY_ROWS)
def test_right_steps_are_the_layer(call: tuple[Layer, dict[str, Any]], empty_rows: str) -> None:
    layer, options = call
    trace = layer.run(**options, empty_rows=empty_rows)
    again = run_with_steps(run_inputs(trace))
    for name in trace.steps:
        assert_same(getattr(again, name), getattr(trace, name))
    assert TwoLayers(trace, again).first_difference is None


@every_mistake
def test_a_faulty_trace_holds_its_own_steps(mistake: Mistake) -> None:
    faulty = run_with_steps(run_inputs(causal()), mistake.steps)
    p = faulty.projections
    for name, heads, matrix, n_heads in (
        ("queries", "query_heads", p.w_q, p.n_heads),
        ("keys", "key_heads", p.w_k, p.groups),
        ("values", "value_heads", p.w_v, p.groups),
    ):
        assert_same(getattr(faulty, name), faulty.inputs @ matrix)
        assert_same(getattr(faulty, heads), mistake.steps.split(getattr(faulty, name), n_heads))


@pytest.mark.parametrize("key", ["mask", "axis"])
def test_a_mistake_in_the_softmax_keeps_the_sink(key: str) -> None:
    """Without a mask the first changes nothing; the second leaves each key a part for the sink."""
    layer = causal(causal=False)
    sunk = rerun(layer, sink=[0.5, -1.0, 2.0])
    wrong = run_with_steps(run_inputs(sunk), STEPS[key])
    if key == "mask":
        assert_same(wrong.probabilities, sunk.probabilities)
    else:
        exponentials = np.exp(sunk.scaled_scores[1, 2])
        expected = exponentials / (exponentials.sum(axis=0) + np.exp(2.0))
        assert_same(wrong.probabilities[1, 2], expected)


@every_mistake
def test_the_lines_of_code(mistake: Mistake) -> None:
    trace = causal()
    right = run_with_steps(run_inputs(trace))
    wrong = run_with_steps(run_inputs(trace), mistake.steps)
    blocks = wrong.projections.w_q.reshape(H, D // H, H, K)
    names = {name: getattr(trace, name) for name in trace.steps} | trace.sizes
    names |= {"np": np, "softmax": softmax, "split_heads": split_heads, "mask": trace.mask}
    names |= {"w_q": trace.projections.w_q, "small_w_q": blocks[np.arange(H), :, np.arange(H)]}
    names |= {"rng": generator(0, Stream.DROPOUT)}
    assert_same(eval(mistake.right, names), getattr(right, mistake.array))
    assert_same(eval(mistake.wrong, names), getattr(wrong, mistake.array))
    assert np.abs(getattr(right, mistake.array) - getattr(wrong, mistake.array)).max() > 0.01


@pytest.mark.parametrize("scale", [1.0, D**-0.5, 0.0, -0.3])
def test_a_custom_scale_has_no_mistake(scale: float) -> None:
    x = np.random.default_rng(2).normal(size=(T, D))
    scaled = attend(x, Projections.random(D, H, d_k=K, d_v=V), scale=scale)
    assert failed(scaled, STEPS["scale"]) == set()
    wide = attend(x, Projections.random(D, H, d_k=4 * D, d_v=V))
    sharper = run_with_steps(run_inputs(wide), STEPS["scale"])
    tops = [one.probabilities.max(axis=-1).mean() for one in (wide, sharper)]
    assert tops[0] < tops[1]


def test_mistakes_of_shared_heads() -> None:
    x = np.random.default_rng(0).normal(size=(T, 8))
    for n_kv_heads in (1, 2):
        trace = attend(x, Projections.random(8, 4, n_kv_heads=n_kv_heads), causal=True)
        assert all("reference" in failed(trace, mistake.steps) for mistake in MISTAKES)


def test_the_late_mask_keeps_a_bias() -> None:
    mask, bias = np.tri(T, dtype=bool), np.random.default_rng(1).normal(size=(T, T))
    trace = attend(
        np.random.default_rng(0).normal(size=(T, 8)), Projections.random(8, 2), mask=mask, bias=bias
    )
    assert_same(
        run_with_steps(run_inputs(trace), STEPS["mask"]).probabilities,
        softmax(trace.scaled_scores + bias) * mask,
    )


def test_dropout() -> None:
    trace = attend(np.random.default_rng(0).normal(size=(40, 8)), Projections.random(8, 4))
    first, again, other = (
        run_with_steps(run_inputs(trace), STEPS["dropout"], call).probabilities
        for call in (0, 0, 1)
    )
    dropped = first == 0
    assert dropped.mean() == pytest.approx(DROPOUT_RATE, abs=0.02)
    assert_same(first[~dropped], trace.probabilities[~dropped] / 0.9)
    assert (first == again).all()
    assert (first != other).any()


# Where a mistake begins in a causal layer, what gives it away besides the reference, and a layer
# that it does not change.
FACTS: dict[str, tuple[str, set[str], dict[str, Any]]] = {
    "split": ("query_heads", {"hidden_keys", "permutation"}, {"n_heads": 1}),
    "merge": ("merged", {"hidden_keys", "permutation"}, {"n_heads": 1}),
    "scale": ("scaled_scores", set(), {"n_heads": 1, "d_k": D}),
    "axis": ("probabilities", {"row_sums", "hidden_keys"}, {}),
    "mask": ("probabilities", {"row_sums", "hidden_keys"}, {"causal": False}),
    "slice": ("queries", {"whole_embedding"}, {"n_heads": 1}),
    "shared": ("queries", {"different_heads"}, {"n_heads": 1}),
    "dropout": ("probabilities", {"row_sums", "permutation", "repeated_call"}, {}),
}


@every_mistake
def test_where_a_mistake_begins_and_what_gives_it_away(mistake: Mistake) -> None:
    begins, caught, harmless = FACTS[mistake.key]
    faulty = run_with_steps(run_inputs(causal()), mistake.steps)
    assert TwoLayers(causal(), faulty).first_difference == begins
    assert failed(causal(), mistake.steps) == caught | {"reference"}
    assert not (harmless and failed(causal(**harmless), mistake.steps))


@settings(max_examples=30)
@given(calls(), EMPTY_ROWS)
def test_a_right_layer_passes_every_check(
    call: tuple[Layer, dict[str, Any]], empty_rows: str
) -> None:
    layer, options = call
    assert failed(layer.run(**options, empty_rows=empty_rows), CORRECT_STEPS) == set()


@settings(max_examples=20)
@given(calls(self_attention=True))
def test_a_right_self_attention_passes_every_check(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    single = {name: a.astype(np.float32) if name == "bias" else a for name, a in options.items()}
    assert failed(layer.astype("float32").run(**single | {"memory": None}), CORRECT_STEPS) == set()


def test_heads_that_are_equal_by_their_weights() -> None:
    p = Projections.random(4, 2)
    blocks = (p.w_q[:, :2], p.w_k[:, :2], p.w_v[:, :2])
    assert (
        failed(attend(np.eye(4), Projections.from_heads([blocks, blocks], p.w_o)), CORRECT_STEPS)
        == set()
    )


@pytest.mark.parametrize("merge", [lambda heads: heads.swapaxes(1, 2), lambda heads: heads[:, 0]])
def test_wrong_shapes_fail_the_first_check(merge: Any) -> None:
    check = next(check for check in MISTAKE_CHECKS if check.key == "shapes")
    verdict = check.run(run_inputs(causal()), replace(CORRECT_STEPS, merge=merge))
    assert not verdict.passed
    assert verdict.gap is None
    assert missing(verdict.sentence, "arrays") == []


def test_a_mask_is_added_only_where_there_is_none() -> None:
    assert examine_layer(Scenario(), "mask").two.before.mask is None
    hidden = examine_layer(Scenario(), "mask", masked=True).two.before.hidden_keys[0, 0]
    assert hidden.tolist() == [11 - t for t in range(12)]
    window = Scenario(mask="window", window=1)
    assert examine_layer(window, "mask", masked=True).two.before.hidden_keys.max() == 10


def test_rounds_of_spot_the_mistake() -> None:
    found = [hidden_mistake(number).key for number in range(60)]
    assert set(found) == {mistake.key for mistake in MISTAKES}
    assert found == [hidden_mistake(number).key for number in range(60)]
    assert found[:8] != [mistake.key for mistake in MISTAKES]
