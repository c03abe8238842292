"""How the diagonal grows: Monte Carlo against exact curves, known values, and the bounds and
rules beside them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from attention_lab.diagonal.growth import Estimate, Experiment, estimates
from attention_lab.diagonal.growth_curves import (
    argmax_rate_exact,
    self_mass_bound,
    self_mass_exact,
    self_mass_rule,
)

# N, d; then R, D scaled and D unscaled by Monte Carlo with a standard error of at most 0.004; then
# R, D, Jensen's bound, the one-line rule and D unscaled, exactly.
TABLE = [
    (4, 2, (0.656, 0.479, 0.526), (0.655, 0.480, 0.446, 0.454, 0.527)),
    (4, 8, (0.968, 0.737, 0.918), (0.968, 0.738, 0.723, 0.774, 0.919)),
    (4, 32, (1.000, 0.969, 1.000), (1.000, 0.969, 0.968, 0.983, 1.000)),
    (16, 2, (0.275, 0.184, 0.220), (0.277, 0.184, 0.171, 0.143, 0.220)),
    (16, 8, (0.873, 0.421, 0.755), (0.874, 0.423, 0.413, 0.406, 0.752)),
    (16, 16, (0.993, 0.645, 0.975), (0.993, 0.647, 0.641, 0.688, 0.975)),
    (16, 32, (1.000, 0.876, 1.000), (1.000, 0.876, 0.875, 0.921, 1.000)),
    (16, 64, (1.000, 0.983, 1.000), (1.000, 0.983, 0.983, 0.992, 1.000)),
    (64, 4, (0.283, 0.103, 0.199), (0.281, 0.103, 0.100, 0.066, 0.200)),
    (64, 8, (0.683, 0.189, 0.530), (0.685, 0.189, 0.186, 0.140, 0.526)),
    (64, 16, (0.973, 0.373, 0.924), (0.973, 0.372, 0.369, 0.345, 0.924)),
    (64, 32, (1.000, 0.681, 1.000), (1.000, 0.681, 0.679, 0.734, 1.000)),
    (64, 64, (1.000, 0.939, 1.000), (1.000, 0.938, 0.938, 0.966, 1.000)),
    (256, 8, (0.449, 0.070, 0.319), (0.451, 0.069, 0.069, 0.039, 0.316)),
    (256, 32, (0.999, 0.421, 0.998), (1.000, 0.421, 0.420, 0.405, 0.999)),
    (256, 64, (1.000, 0.818, 1.000), (1.000, 0.818, 0.818, 0.876, 1.000)),
    (256, 128, (1.000, 0.989, 1.000), (1.000, 0.989, 0.989, 0.995, 1.000)),
]


def estimated(experiment: Experiment, **limits: Any) -> Estimate:
    """The last of the estimates."""
    *_, last = estimates(experiment, **limits)
    return last


@pytest.mark.parametrize(("n", "d", "simulated", "exact"), TABLE)
def test_the_known_table(
    n: int, d: int, simulated: tuple[float, ...], exact: tuple[float, ...]
) -> None:
    scaled, unscaled = (estimated(Experiment(n, d, scale=scale)) for scale in (None, 1.0))
    rate, mass, mass_unscaled = simulated
    assert abs(scaled.argmax_rate - rate) <= 3 * math.hypot(scaled.argmax_rate_error, 0.004)
    assert abs(scaled.self_mass - mass) <= 3 * math.hypot(scaled.self_mass_error, 0.004)
    assert abs(unscaled.self_mass - mass_unscaled) <= 3 * math.hypot(
        unscaled.self_mass_error, 0.004
    )
    curves = (
        argmax_rate_exact(n, d),
        self_mass_exact(n, d),
        self_mass_bound(n, d),
        self_mass_rule(n, d),
        self_mass_exact(n, d, scale=1.0),
    )
    assert curves == pytest.approx(exact, abs=0.001)


@pytest.mark.parametrize(
    ("d_k", "rate", "mass"),
    [
        (32, 0.992, 0.698),
        (16, 0.936, 0.457),
        (8, 0.702, 0.269),
        (4, 0.368, 0.164),
        (2, 0.157, 0.105),
        (1, 0.062, 0.072),
    ],
)
def test_tied_weights(d_k: int, rate: float, mass: float) -> None:
    estimate = estimated(Experiment(32, 32, d_k=d_k))
    known_error = math.sqrt(estimate.draws / 300)
    errors = estimate.argmax_rate_error, estimate.self_mass_error
    for found, known, error in zip(
        (estimate.argmax_rate, estimate.self_mass), (rate, mass), errors, strict=True
    ):
        assert abs(found - known) <= 3 * error * math.hypot(1, known_error) + 0.00051  # as printed


def test_causal() -> None:
    estimate = estimated(Experiment(32, 32, causal=True))
    assert abs(estimate.self_mass - 0.8806) <= 3 * estimate.self_mass_error + 0.002
    assert self_mass_bound(32, 32, causal=True) == pytest.approx(0.8795, abs=2e-4)
    assert (
        abs(estimate.self_mass - self_mass_exact(32, 32, causal=True))
        <= 3 * estimate.self_mass_error
    )
    assert argmax_rate_exact(5, 3, causal=True) == pytest.approx(
        np.mean([argmax_rate_exact(n, 3) for n in range(1, 6)])
    )


def test_one_chunk_after_the_other() -> None:
    experiment = Experiment(64, 8)
    seen = list(estimates(experiment, error=0.003))
    assert len(seen) > 2
    assert [e.draws for e in seen] == sorted({e.draws for e in seen})
    assert seen[-1].error <= 0.003 < seen[-2].error
    assert next(iter(estimates(experiment))) == seen[0]
    assert estimated(experiment, error=0.003) == seen[-1]
    assert estimated(Experiment(64, 8, seed=1), error=0.003) != seen[-1]
    assert estimated(experiment, error=0.0, at_most=100).draws == 100


@pytest.mark.parametrize("options", [{}, {"d_k": 3}, {"causal": True}])
def test_chunks_do_not_change_the_numbers(
    options: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment, limits = Experiment(5, 7, **options), {"error": 0.0, "at_most": 30}
    whole = estimated(experiment, **limits)
    monkeypatch.setattr("attention_lab.diagonal.growth.CHUNK_NUMBERS", 300)
    parts = estimated(experiment, **limits)
    assert len(list(estimates(experiment, **limits))) > 3
    for name in Estimate.__dataclass_fields__:
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), abs=1e-12)


def test_the_standard_error_of_two_draws() -> None:
    experiment = Experiment(3, 2)
    one, two = (estimated(experiment, error=0.0, at_most=draws) for draws in (1, 2))
    assert one.error == math.inf
    other = 2 * two.self_mass - one.self_mass
    assert two.self_mass_error == pytest.approx(abs(one.self_mass - other) / 2)


def test_no_early_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few equal draws would have no error; at least as many draws are made as asked for."""
    monkeypatch.setattr("attention_lab.diagonal.growth.CHUNK_NUMBERS", 1)
    assert estimated(Experiment(2, 64), error=1.0, at_least=9).draws == 9
