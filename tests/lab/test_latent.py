"""Multi-head latent attention: absorbed equals plain, the full rank loses nothing, and a rotation
cannot be absorbed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from attention_core import Projections, Rotary, SettingsError, attend
from attention_core.trace import Trace
from attention_lab.heads.latent import absorbed_scores, largest_rank, latent_of, with_latent
from attention_lab.scenario import Scenario, trace_of

LAYERS = [
    Scenario(),
    Scenario(n_heads=2, d_model=6, d_k=5, d_v=1),
    Scenario(weights="trained", text="a b c", layer=2),
    Scenario(weights="weightless", n_heads=2),
]


def layer(seed: int = 0, **options: object) -> Trace:
    """A layer with biases and shared keys."""
    rng = np.random.default_rng(seed)
    p = Projections.random(12, 4, seed=seed, n_kv_heads=2, bias=True)
    return attend(rng.normal(size=(5, 12)), p, **options)


@pytest.mark.parametrize("scenario", LAYERS, ids=["drawn", "widths", "trained", "weightless"])
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_absorbed_equals_plain(scenario: Scenario, rank: int) -> None:
    trace = trace_of(scenario)
    scores = absorbed_scores(trace, min(rank, largest_rank(trace)))
    size = max(1.0, float(np.abs(scores.plain).max()))
    assert scores.difference <= 1e-12 * size


@pytest.mark.parametrize("rank", [1, 4, 12])
def test_scores_of_made_keys_by_loops(rank: int) -> None:
    trace = layer()
    latent, p = latent_of(trace, rank), trace.projections
    scores = absorbed_scores(trace, rank)
    for head, query, key in np.ndindex(4, 5, 5):
        compressed = [trace.inputs[0, key] @ latent.down[:, r] for r in range(rank)]
        made = [
            p.b_k[k] + sum(c * latent.up_keys[r, k] for r, c in enumerate(compressed))
            for k in range(3 * (head // 2), 3 * (head // 2) + 3)
        ]
        expected = float(trace.query_heads[0, head, query] @ np.array(made))
        assert scores.plain[head, query, key] == pytest.approx(expected, abs=1e-12)
        assert scores.absorbed[head, query, key] == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(with_latent(trace, rank).scores[0], scores.plain, atol=1e-12)


def test_the_full_rank_loses_nothing_and_each_rank_less() -> None:
    trace = layer(1)
    assert largest_rank(trace) == 12
    np.testing.assert_allclose(with_latent(trace, 12).output, trace.output, atol=1e-12)
    p = trace.projections
    both = np.hstack([p.w_k, p.w_v])
    lost = [
        np.linalg.norm(both - latent.down @ np.hstack([latent.up_keys, latent.up_values]))
        for latent in (latent_of(trace, rank) for rank in range(1, 13))
    ]
    assert all(more > less for more, less in pairwise(lost))
    sizes = np.linalg.svd(both, compute_uv=False)
    np.testing.assert_allclose(lost[3], np.sqrt(np.sum(sizes[4:] ** 2)), rtol=1e-10)


def test_a_rotation_cannot_be_absorbed() -> None:
    trace = attend(np.random.default_rng(2).normal(size=(5, 8)), Projections.random(8, 2, seed=2))
    turned = absorbed_scores(trace, 8, Rotary())
    assert turned.difference > 0.1
    rotary = attend(trace.inputs[0], trace.projections, rotary=Rotary())
    np.testing.assert_allclose(turned.plain, rotary.scores[0], atol=1e-12)


@pytest.mark.parametrize("rank", [0, 13, 2.5])
def test_a_rank_that_is_none_is_refused(rank: float) -> None:
    with pytest.raises(SettingsError, match="rank"):
        latent_of(layer(), rank)
