"""What the checks of a layer find: a right layer passes them, each mistake fails some."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, attend
from attention_lab.masks.mistake_checks import MISTAKE_CHECKS, run_checks
from attention_lab.masks.mistakes import CORRECT_STEPS, MISTAKES, Mistake, run_inputs
from tests.core.random_layers import Layer, calls
from tests.lab.mistake_cases import EMPTY_ROWS, causal, every_mistake, failed
from tests.lab.refusal import missing

# What gives a mistake away in a causal layer, and what still looks fine.
CAUGHT = {
    "split": {"hidden_keys", "permutation", "reference"},
    "merge": {"hidden_keys", "permutation", "reference"},
    "scale": {"reference"},
    "axis": {"row_sums", "hidden_keys", "reference"},
    "mask": {"row_sums", "hidden_keys", "reference"},
    "slice": {"whole_embedding", "reference"},
    "shared": {"different_heads", "reference"},
    "dropout": {"row_sums", "permutation", "repeated_call", "reference"},
}


@settings(max_examples=60)
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
    assert failed(layer.run(**options | {"memory": None}), CORRECT_STEPS) == set()
    single = {name: a.astype(np.float32) if name == "bias" else a for name, a in options.items()}
    assert failed(layer.astype("float32").run(**single | {"memory": None}), CORRECT_STEPS) == set()


@every_mistake
@pytest.mark.parametrize("seed", range(3))
def test_each_mistake_is_caught(mistake: Mistake, seed: int) -> None:
    assert failed(causal(seed=seed), mistake.steps) == CAUGHT[mistake.key]


@every_mistake
def test_shapes_give_nothing_away(mistake: Mistake) -> None:
    assert run_checks(causal(), mistake.steps)["shapes"].passed


def test_a_sum_close_to_1() -> None:
    mistake = next(mistake for mistake in MISTAKES if mistake.key == "mask")
    trace = attend(
        [[0.0], [1.0]], Projections.weightless(1), scale=-11.0, mask=[[True, True], [True, False]]
    )
    verdict = run_checks(trace, mistake.steps)["row_sums"]
    assert verdict.gap == pytest.approx(1 / (1 + math.exp(11)), rel=1e-9)
    assert missing(verdict.sentence, 1, f"{verdict.gap:.3g}") == []


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
