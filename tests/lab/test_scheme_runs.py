"""The four ways agree on the scores of any layer, and measurements stay within their bounds."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.counts import LayerSize
from attention_lab.heads.score_schemes import (
    MAX_SCHEME_MULTIPLICATIONS,
    MAX_SCHEME_NUMBERS,
    SCHEMES,
    is_measurable,
    measure_schemes,
    scheme_gaps,
)

LAYERS = {
    "one head": Projections.random(6, 1, d_k=5),
    "several": Projections.random(10, 5, d_k=3, seed=4),
    "shared keys": Projections.random(12, 6, d_k=3, n_kv_heads=2, seed=4),
}


@pytest.mark.parametrize("name", LAYERS)
def test_four_ways_give_the_scores_of_the_layer(name: str) -> None:
    weights = LAYERS[name]
    trace = attend(np.random.default_rng(8).normal(size=(7, weights.d_model)), weights)
    found = scheme_gaps(trace)
    assert set(found.gaps) == {scheme.key for scheme in SCHEMES}
    assert max(found.gaps.values()) < 1e-12
    assert found.n_tokens == 7


def test_a_large_layer_is_compared_in_part() -> None:
    """Where a way would need too much, fewer tokens are compared; the result holds their number."""
    weights = Projections.random(64, 16, d_k=128, d_v=1)
    trace = attend(np.random.default_rng(8).normal(size=(61, 64)), weights)
    found = scheme_gaps(trace)
    assert found.n_tokens == 30
    assert 0 < max(found.gaps.values()) < 1e-12


def test_runs_stay_within_their_bounds() -> None:
    size = LayerSize(n_tokens=64, d_model=4, n_heads=4, n_kv_heads=4, d_k=1, d_v=1)
    runs = measure_schemes(size, "n")
    reached = {}
    for run in runs:
        count = run.scheme
        assert count.extra.of(run.size) + 4 * run.size.n_tokens**2 <= MAX_SCHEME_NUMBERS
        assert count.multiplications.of(run.size) <= MAX_SCHEME_MULTIPLICATIONS
        # The result alone is h n² numbers of 8 bytes.
        assert run.measured.peak_bytes >= 8 * 4 * run.size.n_tokens**2
        assert run.measured.seconds > 0
        reached[count.key] = run.size.n_tokens
    assert reached["fused"] == 512
    assert reached["full"] == 256


def test_what_is_too_large() -> None:
    size = LayerSize(512, 64, 16, 16, 4, 4)
    small = {scheme.key: is_measurable(scheme, size) for scheme in SCHEMES}
    assert small == {"loop": False, "fused": True, "full": False, "hadamard": False}
