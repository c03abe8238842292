"""When attention is a 1 × 1 convolution: with tokens of equal length or positions, in the limit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.labs.convolution import one_by_one_example, run_one_by_one


@pytest.mark.parametrize(
    ("kind", "all_of_them"), [("raw", False), ("layer-normed", True), ("with positions", True)]
)
def test_a_longer_token_wins_unless_lengths_are_equal(kind: str, all_of_them: bool) -> None:
    run = run_one_by_one(*one_by_one_example(), sharpness=40, kind=kind)
    assert (run.n_choosing_themselves == 6) is all_of_them
    assert (run.error < 1e-9) is all_of_them


def test_one_by_one_with_layer_norm_or_positions() -> None:
    rng = np.random.default_rng(3)
    x, kernel = rng.normal(size=(7, 5)), rng.normal(size=(5, 3))
    for kind in ("layer-normed", "with positions"):
        errors = [run_one_by_one(x, kernel, sharpness, kind).error for sharpness in (2, 5, 20, 100)]
        assert all(a > b for a, b in pairwise(errors))
        assert errors[0] > 0.1
        assert errors[-1] < 1e-9
    run = run_one_by_one(x, kernel, 100, "with positions")
    np.testing.assert_allclose(run.expected, x @ kernel)
    assert run.self_weights.min() == 1


def test_raw_tokens_cannot_choose_themselves() -> None:
    tokens = np.array([[1.0], [2.0], [3.0]])
    for m in np.linspace(-100, 100, 2001):
        scores = attend(tokens, Projections([[m]], [[1.0]], [[1.0]], n_heads=1)).scores[0, 0]
        assert scores.argmax(axis=1).tolist() != [0, 1, 2]
    assert run_one_by_one(tokens, np.eye(1), 200, "raw").error == pytest.approx(2)


def test_duplicate_tokens_do_no_harm() -> None:
    x = np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0], [5.0, 1.0, 0.0]])
    run = run_one_by_one(x, np.eye(3), 100)
    assert run.self_weights[0] == pytest.approx(0.5)
    assert run.error < 1e-12
