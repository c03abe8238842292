"""The exact curves of the diagonal's growth: bounds, values by hand, and the one-line rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.diagonal.growth_curves import (
    argmax_rate_exact,
    chi_nodes,
    half_argmax_width,
    half_mass_width,
    self_mass_bound,
    self_mass_exact,
    self_mass_rule,
)
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_lab.layer_norm import standardised


@pytest.mark.parametrize(("n", "d"), [(4, 1), (4, 8), (4, 128), (64, 2), (64, 32)])
@pytest.mark.parametrize("options", [{}, {"scale": 1.0}, {"causal": True}, {"scale": 0.05}])
def test_the_bound_is_a_bound(n: int, d: int, options: dict[str, float]) -> None:
    bound, exact = self_mass_bound(n, d, **options), self_mass_exact(n, d, **options)
    assert 0 < bound <= exact + 1e-9
    assert 1 / n <= exact <= 1 + 1e-9


def test_exact_by_hand() -> None:
    assert self_mass_exact(1, 5) == pytest.approx(1, abs=1e-9)
    assert self_mass_exact(7, 3, scale=0.0) == pytest.approx(1 / 7, abs=1e-6)
    assert argmax_rate_exact(1, 5) == pytest.approx(1, abs=1e-9)
    # R for N = 2, d = 1: x_1 x_2 < x_1² for |x_2| < |x_1| (1/2) and for opposite signs of the
    # others (1/4).
    assert argmax_rate_exact(2, 1) == pytest.approx(3 / 4, abs=1e-6)
    grid = np.arange(-8, 8, 0.02)
    weight = np.exp(-(grid[:, np.newaxis] ** 2 + grid**2) / 2) / (2 * math.pi) * 0.02**2
    share = 1 / (1 + np.exp(np.outer(grid, grid) - grid[:, np.newaxis] ** 2))
    assert self_mass_exact(2, 1) == pytest.approx(float((weight * share).sum()), abs=1e-6)


@pytest.mark.parametrize("degrees", [1, 2, 8, 128])
def test_nodes_have_the_moments_of_chi_square(degrees: int) -> None:
    length, weight = chi_nodes(degrees)
    assert weight.sum() == pytest.approx(1, abs=1e-9)
    assert weight @ length**2 == pytest.approx(degrees, rel=1e-9)
    assert weight @ (length**2 - degrees) ** 2 == pytest.approx(2 * degrees, rel=1e-9)


def test_half_mass() -> None:
    known = {4: 2.6, 16: 10.3, 64: 21.6, 256: 36.5, 512: 45.4, 1024: 55.2}
    for n_tokens, width in known.items():
        assert half_mass_width(n_tokens) == pytest.approx(width, abs=0.05)
        assert 1 / (
            1 + (n_tokens - 1) * math.exp(0.5 - math.sqrt(half_mass_width(n_tokens)))
        ) == pytest.approx(0.5)
    assert [round(half_mass_width(n, scaled=False), 1) for n in (16, 64, 256)] == [5.4, 8.3, 11.1]
    assert 5 < half_argmax_width(64) < 6 < half_mass_width(64)
    assert argmax_rate_exact(64, 5) < 0.5 < argmax_rate_exact(64, 7)


def test_a_scale_below_zero() -> None:
    assert self_mass_exact(16, 8, scale=-1.0) == pytest.approx(3.5e-4, rel=0.05)
    assert self_mass_exact(1, 8, scale=-3.0) == pytest.approx(1, abs=1e-6)
    assert 1 / 16 < self_mass_exact(16, 8, scale=-3.0, causal=True) < 0.064


def test_the_one_line_rule_is_layer_norm() -> None:
    masses = []
    for seed in range(60):
        a = attend(
            standardised(gaussian_tokens(32, 32, seed)), Projections.weightless(32)
        ).probabilities[0, 0]
        masses.append(float(np.diagonal(a).mean()))
    assert self_mass_rule(32, 32) == pytest.approx(0.8485, abs=5e-5)
    assert np.mean(masses) == pytest.approx(0.8485, abs=0.002)
    assert self_mass_exact(32, 32) < 0.81
