"""Stacked attention: tokens become equal, how fast, and what delays it."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from attention_core import Projections, SettingsError, attend
from attention_lab.diagonal.depth import (
    STACK_WIDTHS,
    Stack,
    consensus_distance,
    cubic_error,
    cubic_step,
    layer_weights,
    levels,
    sample_trajectories,
    stack_variants,
    trajectory,
)
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_lab.layer_norm import standardised
from attention_lab.words.embeddings import embed
from tests.lab.refusal import refused


def test_distance_by_hand() -> None:
    stack = np.array([[[3.0], [3.0]], [[0.0], [0.0]], [[1.0], [-1.0]], [[0.0], [2.0]]])
    assert consensus_distance(stack).tolist() == pytest.approx([0, 0, 1, math.sqrt(2) / 2])


def test_levels_are_attention_again_and_again() -> None:
    x, weights = gaussian_tokens(5, 6), Projections.weightless(6)
    plain = list(levels(x, Stack(n_layers=2)))
    assert len(plain) == 3
    assert (plain[0].tokens == x).all()
    for before, after in pairwise(plain):
        trace = attend(before.tokens, weights)
        assert (after.tokens == trace.output[0]).all()
        assert before.self_mass == pytest.approx(np.diagonal(trace.probabilities[0, 0]).mean())
    mixed, mixed_after_norm = (attend(read, weights).output[0] for read in (x, standardised(x)))
    for stack, expected in (
        (Stack(n_layers=1, skip=True, gain=0.5), x + 0.5 * mixed),
        (Stack(n_layers=1, layer_norm=True), standardised(mixed)),
        (Stack(n_layers=1, skip=True, norm_before=True), x + mixed_after_norm),
    ):
        assert [*levels(x, stack)][1].tokens == pytest.approx(expected)


def test_a_trajectory_is_that_of_the_levels() -> None:
    stack, words = Stack(n_layers=3), embed(("we", "like", "tea"), 8, positions=False).words
    found = trajectory(stack, 8, "we like tea")
    passed = [(level.distance, level.self_mass) for level in levels(words, stack)]
    assert [*zip(found.distances, found.self_masses, strict=True)] == passed


def test_every_random_layer_has_its_own_weights() -> None:
    stack = Stack(weights="random", n_heads=2)
    one, two = layer_weights(stack, 0, 4), layer_weights(stack, 1, 4)
    assert (one.w_q != two.w_q).all()
    assert (one.w_q == layer_weights(stack, 0, 4).w_q).all()
    assert (one.w_q != layer_weights(Stack(weights="random", n_heads=2, seed=1), 0, 4).w_q).all()


@pytest.mark.parametrize(
    ("width", "known"),
    [
        (8, {0: 0.96, 1: 0.90, 2: 0.66}),
        (32, {0: 0.97, 1: 0.96, 2: 0.94, 4: 0.83, 8: 0.34}),
        (64, {0: 0.97, 1: 0.97, 2: 0.97, 4: 0.96, 8: 0.92, 16: 0.79, 24: 0.63}),
    ],
)
def test_known_distances(width: int, known: dict[int, float]) -> None:
    sample = sample_trajectories(Stack(), width, n_samples=25)
    low, high = (sample.quantile(share).distances for share in (0.15, 0.85))
    for layer, distance in known.items():
        assert low[layer] - 0.005 <= distance <= high[layer] + 0.005


@pytest.mark.parametrize(
    ("width", "stack", "least", "most"),
    [
        (8, Stack(skip=True), 0.8, 1),
        (8, Stack(skip=True, layer_norm=True), 0, 1e-4),
        (8, Stack(skip=True, norm_before=True), 0.2, 0.9),
        (64, Stack(skip=True, layer_norm=True), 0.9, 1),
        (16, Stack("random", 4, skip=True, layer_norm=True), 0, 0.01),
        (16, Stack("random", 4, skip=True, norm_before=True), 0.1, 0.9),
    ],
)
def test_a_skip_alone_does_not_stop_the_collapse(
    width: int, stack: Stack, least: float, most: float
) -> None:
    assert least <= sample_trajectories(stack, width).median.distances[-1] <= most


@pytest.mark.parametrize("seed", range(5))
def test_cubic_contraction(seed: int) -> None:
    mean, deviation = gaussian_tokens(1, 16, seed), gaussian_tokens(16, 16, seed + 100)
    errors = [cubic_error(mean + size * deviation) for size in (0.1, 0.03, 0.01, 0.003)]
    assert errors[2] < 0.015
    assert errors[2] / errors[3] == pytest.approx(10 / 3, rel=0.05)
    assert errors == sorted(errors, reverse=True)
    without_mean = cubic_error(0.01 * (deviation - deviation.mean(axis=0)))
    assert without_mean < errors[2] / 5


def test_the_exponent_triples() -> None:
    deviation = gaussian_tokens(8, 4)
    centred = deviation - deviation.mean(axis=0)
    by_loops = [sum(0.5 * e * (e @ own) / 8 for e in centred) for own in centred]
    for size in (1.0, 0.01):
        assert cubic_step(size * deviation, 0.5) == pytest.approx(size**3 * np.array(by_loops))
    assert cubic_error(np.ones((3, 2))) == 0


def test_numbers_beyond_the_range_of_float() -> None:
    with refused(SettingsError, "range"):
        list(levels(gaussian_tokens(4, 4), Stack(skip=True, gain=1e200)))


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        # Later the draws fall one by one, and the median with chance.
        (Stack(), {0: 0.97, 1: 0.94, 2: 0.86}),
        (Stack(skip=True), {0: 0.96, 1: 0.95, 2: 0.94, 4: 0.94, 8: 0.94, 16: 0.94, 24: 0.94}),
        (Stack(layer_norm=True), {0: 0.97, 1: 0.94, 2: 0.89, 4: 0.66}),
        (Stack("random", 4), {0: 0.97, 1: 0.79, 2: 0.073}),
        (Stack("random", 4, skip=True, gain=0.25), {0: 0.97, 4: 0.96, 8: 0.96, 16: 0.94, 24: 0.91}),
    ],
)
def test_medians_of_the_remedies(stack: Stack, expected: dict[int, float]) -> None:
    assert stack in stack_variants(Stack()).values()
    found = sample_trajectories(stack, 16, n_samples=41).median.distances
    assert [found[layer] for layer in expected] == pytest.approx(list(expected.values()), abs=0.035)


def test_when_tokens_count_as_equal() -> None:
    for weights, heads in (("weightless", 1), ("random", 4)):
        alone = sample_trajectories(Stack(weights, heads, 24), 16, "a").median
        assert alone.layers_until(0.01) == 0  # one token is its own mean
        assert np.allclose(alone.self_masses, 1)
    stacks = stack_variants(Stack(n_layers=24)) | {"heads, skip": Stack("random", 4, skip=True)}
    known = {"4 random heads": 3, "weightless": 6, "heads, skip": 20, "with skip": None}
    known |= {"4 random heads, skip and gain 0.25": None, "skip, LayerNorm before": None}
    for name, end in known.items():
        assert sample_trajectories(stacks[name], 16).median.layers_until(0.01) == end, name


@pytest.mark.parametrize("width", STACK_WIDTHS)
def test_layer_norm_before_keeps_tokens_apart_longer(width: int) -> None:
    stacks = stack_variants(Stack())
    after, before = (
        sample_trajectories(stacks[f"skip, LayerNorm {place}"], width).median.distances
        for place in ("after", "before")
    )
    assert after[-1] < before[-1]


def test_layer_norm_leaves_two_directions_of_two_features() -> None:
    """So tokens on both sides stay apart, where with 8 features most draws collapse."""
    stack, ends = Stack(skip=True, layer_norm=True), {}
    for width in (2, 8):
        draws = [list(levels(gaussian_tokens(16, width, seed), stack))[-1] for seed in range(10)]
        ends[width] = sum(one.distance < 0.01 for one in draws)
    assert ends == {2: 0, 8: 10}
