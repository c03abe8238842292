"""What the growth and depth pictures are drawn from: the curves' own numbers, and the stacks
worth comparing.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

from attention_lab.diagonal.depth import Stack, levels
from attention_lab.diagonal.depth_trajectories import stack_variants, trajectory
from attention_lab.diagonal.growth_curves import (
    argmax_rate_exact,
    self_mass_bound,
    self_mass_exact,
    self_mass_rule,
)
from attention_lab.diagonal.growth_table import CURVE_WIDTHS, Growth, curves
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_lab.words.embeddings import embed


@pytest.mark.parametrize(("scaled", "causal"), [(True, False), (False, False), (True, True)])
def test_curves_are_those_of_the_formulas(scaled: bool, causal: bool) -> None:
    found, scale = curves(5, scaled=scaled, causal=causal), None if scaled else 1.0
    place = CURVE_WIDTHS.index(11)
    assert found.self_mass[place] == self_mass_exact(5, 11, scale=scale, causal=causal)
    assert found.bound[place] == self_mass_bound(5, 11, scale=scale, causal=causal)
    assert found.rule[place] == self_mass_rule(5, 11, scale=scale, causal=causal)
    assert found.argmax_rate[place] == argmax_rate_exact(5, 11, causal=causal)


def test_the_causal_baseline() -> None:
    assert curves(4).uniform == 0.25
    assert curves(4, causal=True).uniform == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_causal_mass_is_the_mean_over_rows() -> None:
    rows = [self_mass_exact(n_tokens, 7) for n_tokens in range(1, 6)]
    assert self_mass_exact(5, 7, causal=True) == pytest.approx(sum(rows) / 5, abs=1e-12)


def test_the_causal_rate_of_a_million_tokens() -> None:
    rows = [argmax_rate_exact(n_tokens, 7) for n_tokens in range(1, 6)]
    assert argmax_rate_exact(5, 7, causal=True) == pytest.approx(sum(rows) / 5, abs=1e-12)
    tracemalloc.start()
    try:
        assert argmax_rate_exact(10**6, 8, causal=True) == pytest.approx(0.010244, abs=1e-6)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_experiments_of_a_picture() -> None:
    plain, tied = Growth(scaled=False, seed=3).experiment(5, 7), Growth(tied=True).experiment(5, 8)
    assert (plain.n_tokens, plain.d_model, plain.d_k, plain.scale, plain.seed) == (5, 7, 0, 1.0, 3)
    assert (tied.d_model, tied.d_k, tied.scale) == (32, 8, None)
    assert max(Growth(tied=True).widths) == 32
    assert max(Growth().widths) == 128


def test_a_course_is_the_levels() -> None:
    stack = Stack(n_layers=3, seed=1)
    drawn = list(levels(gaussian_tokens(16, 8, 1), stack))
    assert trajectory(stack, 8).distances == tuple(level.distance for level in drawn)
    assert trajectory(stack, 8).self_masses == tuple(level.self_mass for level in drawn)
    words = list(levels(embed(("we", "like", "tea"), 8, positions=False).words, stack))
    assert trajectory(stack, 8, "we like tea").distances == tuple(level.distance for level in words)


def test_what_delays_the_collapse() -> None:
    collapsed = {
        stack: trajectory(stack, 16).layers_until(0.01)
        for stack in stack_variants(Stack()).values()
    }
    heads = Stack(weights="random", n_heads=4)
    assert collapsed[heads] == 3
    assert collapsed[Stack()] == 6
    assert collapsed[Stack(skip=True)] is collapsed[replace(heads, skip=True, gain=0.25)] is None
    assert trajectory(Stack(), 64).layers_until(0.01) is None
