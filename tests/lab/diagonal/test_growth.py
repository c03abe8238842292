"""How the diagonal grows: Monte Carlo against exact curves, known values, and the bounds and rules
beside them.
"""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from attention_lab.diagonal.growth import (
    CURVE_WIDTHS,
    TOKEN_COUNTS,
    Estimate,
    Experiment,
    curves,
    estimates,
)
from attention_lab.diagonal.growth_curves import (
    argmax_rate_exact,
    half_argmax_width,
    half_mass_width,
    self_mass_bound,
    self_mass_exact,
    self_mass_rule,
)

# N, d; then R, D scaled and D unscaled by Monte Carlo with a standard error of at most 0.004; then
# R, D, Jensen's bound, the one-line rule and D unscaled, exactly.
TABLE = [
    (4, 2, (0.656, 0.479, 0.526), (0.655, 0.480, 0.446, 0.454, 0.527)),
    (4, 32, (1.000, 0.969, 1.000), (1.000, 0.969, 0.968, 0.983, 1.000)),
    (16, 8, (0.873, 0.421, 0.755), (0.874, 0.423, 0.413, 0.406, 0.752)),
    (64, 8, (0.683, 0.189, 0.530), (0.685, 0.189, 0.186, 0.140, 0.526)),
    (64, 32, (1.000, 0.681, 1.000), (1.000, 0.681, 0.679, 0.734, 1.000)),
    (256, 8, (0.449, 0.070, 0.319), (0.451, 0.069, 0.069, 0.039, 0.316)),
    (256, 32, (0.999, 0.421, 0.998), (1.000, 0.421, 0.420, 0.405, 0.999)),
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
    found = (scaled.argmax_rate, scaled.self_mass, unscaled.self_mass)
    errors = (scaled.argmax_rate_error, scaled.self_mass_error, unscaled.self_mass_error)
    for one, known, error in zip(found, simulated, errors, strict=True):
        assert abs(one - known) <= 3 * math.hypot(error, 0.004)
    curves = (
        argmax_rate_exact(n, d),
        self_mass_exact(n, d),
        self_mass_bound(n, d),
        self_mass_rule(n, d),
        self_mass_exact(n, d, scale=1.0),
    )
    assert curves == pytest.approx(exact, abs=0.001)


@pytest.mark.parametrize(("d_k", "rate", "mass"), [(8, 0.702, 0.269), (1, 0.062, 0.072)])
def test_tied_weights(d_k: int, rate: float, mass: float) -> None:
    one = estimated(Experiment(32, 32, d_k=d_k))
    sigmas = 3 * math.hypot(1, math.sqrt(one.draws / 300))
    assert abs(one.argmax_rate - rate) <= sigmas * one.argmax_rate_error + 0.00051  # as printed
    assert abs(one.self_mass - mass) <= sigmas * one.self_mass_error + 0.00051


def test_causal() -> None:
    one, exact = (estimated(Experiment(32, 32, causal=True)), self_mass_exact(32, 32, causal=True))
    assert abs(one.self_mass - 0.8806) <= 3 * one.self_mass_error + 0.002
    assert self_mass_bound(32, 32, causal=True) == pytest.approx(0.8795, abs=2e-4)
    assert abs(one.self_mass - exact) <= 3 * one.self_mass_error


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


@pytest.mark.parametrize(("n", "d"), [(4, 1), (4, 8), (4, 128), (64, 2), (64, 32)])
@pytest.mark.parametrize("options", [{}, {"scale": 1.0}, {"causal": True}, {"scale": 0.05}])
def test_the_bound_is_a_bound(n: int, d: int, options: dict[str, float]) -> None:
    bound, exact = self_mass_bound(n, d, **options), self_mass_exact(n, d, **options)
    assert 0 < bound <= exact + 1e-9
    assert 1 / n <= exact <= 1 + 1e-9
    assert self_mass_exact(1, d, **options) == pytest.approx(1, abs=1e-9)


def test_exact_by_hand() -> None:
    assert self_mass_exact(7, 3, scale=0.0) == pytest.approx(1 / 7, abs=1e-6)
    assert argmax_rate_exact(1, 5) == pytest.approx(1, abs=1e-9)
    # R for N = 2, d = 1: x_1 x_2 < x_1² for |x_2| < |x_1| (1/2) and for opposite signs of the
    # others (1/4).
    assert argmax_rate_exact(2, 1) == pytest.approx(3 / 4, abs=1e-6)
    grid = np.arange(-8, 8, 0.02)
    weight = np.exp(-(grid[:, np.newaxis] ** 2 + grid**2) / 2) / (2 * math.pi) * 0.02**2
    share = 1 / (1 + np.exp(np.outer(grid, grid) - grid[:, np.newaxis] ** 2))
    assert self_mass_exact(2, 1) == pytest.approx(float((weight * share).sum()), abs=1e-6)


def test_half_mass() -> None:
    known = {4: 2.6, 16: 10.3, 64: 21.6, 256: 36.5, 512: 45.4, 1024: 55.2}
    for n_tokens, width in known.items():
        found = half_mass_width(n_tokens)
        assert found == pytest.approx(width, abs=0.05)
        assert 1 / (1 + (n_tokens - 1) * math.exp(0.5 - found**0.5)) == pytest.approx(0.5)
    assert [round(half_mass_width(n, scaled=False), 1) for n in (16, 64, 256)] == [5.4, 8.3, 11.1]
    assert 5 < half_argmax_width(64) < 6 < half_mass_width(64)
    for n_tokens in TOKEN_COUNTS:
        scaled, unscaled = (half_mass_width(n_tokens, scaled=one) for one in (True, False))
        assert half_argmax_width(n_tokens) < unscaled < scaled
    assert argmax_rate_exact(64, 5) < 0.5 < argmax_rate_exact(64, 7)


def test_a_scale_below_zero() -> None:
    assert self_mass_exact(16, 8, scale=-1.0) == pytest.approx(3.5e-4, rel=0.05)
    assert self_mass_exact(1, 8, scale=-3.0) == pytest.approx(1, abs=1e-6)
    assert 1 / 16 < self_mass_exact(16, 8, scale=-3.0, causal=True) < 0.064


def test_curves_are_those_of_the_formulas() -> None:
    found, place = curves(5, scaled=False, causal=True), CURVE_WIDTHS.index(11)
    assert found.self_mass[place] == self_mass_exact(5, 11, scale=1.0, causal=True)
    assert found.bound[place] == self_mass_bound(5, 11, scale=1.0, causal=True)
    assert found.rule[place] == self_mass_rule(5, 11, scale=1.0, causal=True)
    assert found.argmax_rate[place] == argmax_rate_exact(5, 11, causal=True)
    assert curves(4, causal=True).uniform == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_the_causal_rate_of_a_million_tokens() -> None:
    rows = [argmax_rate_exact(n_tokens, 7) for n_tokens in range(1, 6)]
    assert argmax_rate_exact(5, 7, causal=True) == pytest.approx(sum(rows) / 5, abs=1e-12)
    tracemalloc.start()
    try:
        assert argmax_rate_exact(10**6, 8, causal=True) == pytest.approx(0.010244, abs=1e-6)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
