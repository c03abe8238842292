"""The same weights as one head: the engine's own run, and what it costs beside several."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, SettingsError, Trace, attend
from attention_lab.heads.one_wide_head import layer_cost, one_wide_head

D, H, K, V, T, S, M = 7, 3, 2, 5, 11, 13, 17


def layer(**options: Any) -> Trace:
    """A layer that attends to a memory, every size another prime."""
    rng = np.random.default_rng(4)
    weights = Projections.random(D, H, d_k=K, d_v=V, d_memory=M, bias=True)
    return attend(rng.normal(size=(1, T, D)), weights, memory=rng.normal(size=(1, S, M)), **options)


def test_the_scores_of_one_head_are_the_sum() -> None:
    trace = layer()
    one = one_wide_head(trace)
    np.testing.assert_allclose(one.scores[:, 0], trace.scores.sum(axis=1), atol=1e-12)
    assert (one.sizes["H"], one.sizes["K"], one.sizes["V"]) == (1, H * K, H * V)
    assert one.projections.w_q.tobytes() == trace.projections.w_q.tobytes()


def test_the_usual_scale_follows_the_width_and_another_stays() -> None:
    assert one_wide_head(layer()).scale == pytest.approx(1 / sqrt(H * K))
    assert one_wide_head(layer(scale=0.3)).scale == 0.3
    mask = np.arange(S) < np.arange(1, T + 1)[:, None]
    one = one_wide_head(layer(mask=mask))
    np.testing.assert_array_equal(one.hidden[0, 0], ~mask)


def test_parameters_and_products_stay_scores_grow() -> None:
    trace = layer()
    one, many = layer_cost(one_wide_head(trace)), layer_cost(trace)
    weights = (D * H * K) + (M * H * K) + (M * H * V) + (H * V * D)
    biases = 2 * H * K + H * V + D
    assert one.parameters == many.parameters == weights + biases
    assert (one.scores, many.scores) == (T * S, H * T * S)
    assert one.multiplications == many.multiplications == H * K * T * S
    assert (one.distributions, many.distributions) == (1, H)


def test_what_cannot_be_one_head() -> None:
    shared = attend(np.eye(2, 4), Projections.random(4, 2, n_kv_heads=1))
    with pytest.raises(SettingsError, match="share"):
        one_wide_head(shared)
