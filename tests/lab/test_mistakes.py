"""The classic mistakes: each is what its line of code says, and each is caught; a right layer
passes every check.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import STEPS, Projections, attend, softmax, split_heads
from attention_core.initialisation import Stream, generator
from attention_lab.masks.mistake_checks import MISTAKE_CHECKS, run_checks
from attention_lab.masks.mistakes import (
    DROPOUT_RATE,
    MISTAKES,
    Mistake,
    first_difference,
    run_inputs,
    run_with_steps,
)
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.mistake_cases import EMPTY_ROWS, D, H, K, T, V, causal, every_mistake, failed


@settings(max_examples=60)
@given(calls(), EMPTY_ROWS)
def test_right_steps_are_the_layer(call: tuple[Layer, dict[str, Any]], empty_rows: str) -> None:
    layer, options = call
    trace = layer.run(**options, empty_rows=empty_rows)
    again = run_with_steps(run_inputs(trace))
    for name in STEPS:
        assert_same(getattr(again, name), getattr(trace, name))
    assert first_difference(trace, again) is None


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


@every_mistake
def test_the_lines_of_code(mistake: Mistake) -> None:
    trace = causal()
    right, wrong = (
        run_with_steps(run_inputs(trace)),
        run_with_steps(run_inputs(trace), mistake.steps),
    )
    blocks = wrong.projections.w_q.reshape(H, D // H, H, K)
    names = {
        **{name: getattr(trace, name) for name in STEPS},
        "B": 2,
        "T": T,
        "S": T,
        "H": H,
        "K": K,
        "V": V,
        "D": D,
        "np": np,
        "softmax": softmax,
        "split_heads": split_heads,
        "w_q": trace.projections.w_q,
        "mask": trace.mask,
        "small_w_q": blocks[np.arange(H), :, np.arange(H)],
        "rng": generator(0, Stream.DROPOUT),
    }
    assert_same(eval(mistake.right, names), getattr(right, mistake.array))
    assert_same(eval(mistake.wrong, names), getattr(wrong, mistake.array))
    assert np.abs(getattr(right, mistake.array) - getattr(wrong, mistake.array)).max() > 0.01


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("split", "query_heads"),
        ("merge", "merged"),
        ("scale", "scaled_scores"),
        ("axis", "probabilities"),
        ("mask", "probabilities"),
        ("slice", "queries"),
        ("shared", "queries"),
        ("dropout", "probabilities"),
    ],
)
def test_where_a_mistake_begins(key: str, name: str) -> None:
    mistake = next(mistake for mistake in MISTAKES if mistake.key == key)
    trace = causal()
    assert first_difference(trace, run_with_steps(run_inputs(trace), mistake.steps)) == name


@pytest.mark.parametrize(
    ("key", "harmless"),
    [
        ("split", {"n_heads": 1}),
        ("merge", {"n_heads": 1}),
        ("scale", {"n_heads": 1, "d_k": D}),
        ("slice", {"n_heads": 1}),
        ("shared", {"n_heads": 1}),
    ],
)
def test_what_a_mistake_needs(key: str, harmless: dict[str, int]) -> None:
    mistake = next(mistake for mistake in MISTAKES if mistake.key == key)
    assert failed(causal(**harmless), mistake.steps) == set()


@pytest.mark.parametrize("scale", [1.0, D**-0.5, 0.0, -0.3])
def test_a_custom_scale_has_no_mistake(scale: float) -> None:
    mistake = next(mistake for mistake in MISTAKES if mistake.key == "scale")
    x = np.random.default_rng(2).normal(size=(T, D))
    assert (
        failed(attend(x, Projections.random(D, H, d_k=K, d_v=V), scale=scale), mistake.steps)
        == set()
    )
    wide = attend(x, Projections.random(D, H, d_k=4 * D, d_v=V))
    assert (
        run_with_steps(run_inputs(wide), mistake.steps).probabilities.max(axis=-1).mean()
        > wide.probabilities.max(axis=-1).mean()
    )


def test_a_late_mask_needs_a_mask() -> None:
    mistake = next(mistake for mistake in MISTAKES if mistake.key == "mask")
    assert failed(attend(np.eye(3), Projections.random(3, 1)), mistake.steps) == set()


@every_mistake
@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_mistakes_of_shared_heads(mistake: Mistake, n_kv_heads: int) -> None:
    trace = attend(
        np.random.default_rng(0).normal(size=(T, 8)),
        Projections.random(8, 4, n_kv_heads=n_kv_heads),
        causal=True,
    )
    assert "reference" in failed(trace, mistake.steps)


def test_the_late_mask_keeps_a_bias() -> None:
    mask, bias = np.tri(T, dtype=bool), np.random.default_rng(1).normal(size=(T, T))
    trace = attend(
        np.random.default_rng(0).normal(size=(T, 8)), Projections.random(8, 2), mask=mask, bias=bias
    )
    steps = next(mistake.steps for mistake in MISTAKES if mistake.key == "mask")
    assert_same(
        run_with_steps(run_inputs(trace), steps).probabilities,
        softmax(trace.scaled_scores + bias) * mask,
    )


def test_a_bad_split_concerns_queries_keys_and_values() -> None:
    trace = causal()
    wrong = run_with_steps(
        run_inputs(trace), next(mistake.steps for mistake in MISTAKES if mistake.key == "split")
    )
    for name in ("queries", "keys", "values"):
        heads = getattr(wrong, name.replace("ies", "y").removesuffix("s") + "_heads")
        assert (heads == getattr(trace, name).reshape(heads.shape)).all()


def test_dropout() -> None:
    trace = attend(np.random.default_rng(0).normal(size=(40, 8)), Projections.random(8, 4))
    steps = next(mistake.steps for mistake in MISTAKES if mistake.key == "dropout")
    first, again, other = (
        run_with_steps(run_inputs(trace), steps, call).probabilities for call in (0, 0, 1)
    )
    dropped = first == 0
    assert dropped.mean() == pytest.approx(DROPOUT_RATE, abs=0.02)
    assert_same(first[~dropped], trace.probabilities[~dropped] / 0.9)
    assert (first == again).all()
    assert (first != other).any()


def test_everything_explains_itself() -> None:
    assert len({mistake.key for mistake in MISTAKES}) == len(MISTAKES) == 8
    assert len({check.key for check in MISTAKE_CHECKS}) == len(MISTAKE_CHECKS)
    assert all(mistake.description.endswith(".") and mistake.needs for mistake in MISTAKES)
    assert all(check.question.endswith("?") for check in MISTAKE_CHECKS)
    assert all(
        v.sentence.endswith(".")
        for mistake in MISTAKES
        for v in run_checks(causal(), mistake.steps).values()
    )
