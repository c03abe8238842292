"""Steps on the manifold of matrices with orthonormal columns, what such columns change in a layer,
and the conventions of the Julia package.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core.initialisation import orthonormal_columns
from attention_lab.labs.adam import Moments, adam_step
from attention_lab.labs.julia_mapping import CONVENTIONS, JuliaHeads, check_mapping
from attention_lab.labs.stiefel import (
    RETRACTIONS,
    column_effect,
    rotation_generator,
    sphere_step,
    tangent_projection,
)
from attention_lab.labs.stiefel_adam import (
    first_moments,
    fused_matrix,
    head_matrices,
    stiefel_adam_step,
)
from tests.lab.labs.orthonormal import orthonormality_error

N, K = 7, 3
RNG = np.random.default_rng(0)
POINT = orthonormal_columns(RNG, N, K)
GRADIENT = RNG.normal(size=(N, K))
TANGENT = tangent_projection(POINT, GRADIENT)


def test_the_tangent_projection() -> None:
    overlap = POINT.T @ TANGENT
    assert np.abs(overlap + overlap.T).max() < 1e-14
    np.testing.assert_allclose(tangent_projection(POINT, TANGENT), TANGENT, atol=1e-14)
    other = tangent_projection(POINT, RNG.normal(size=(N, K)))
    assert abs(((GRADIENT - TANGENT) * other).sum()) < 1e-13


def test_the_rotation_behind_a_step() -> None:
    omega = rotation_generator(POINT, TANGENT)
    assert np.abs(omega + omega.T).max() < 1e-14
    np.testing.assert_allclose(omega @ POINT, TANGENT, atol=1e-14)


@pytest.mark.parametrize("name", RETRACTIONS)
def test_retractions_land_on_the_manifold(name: str) -> None:
    retract = RETRACTIONS[name].compute
    assert orthonormality_error(retract(POINT, TANGENT)) < 1e-14
    np.testing.assert_allclose(retract(POINT, 0 * TANGENT), POINT, atol=1e-14)


@pytest.mark.parametrize(("name", "order"), [("qr", 2), ("polar", 2), ("cayley", 3)])
def test_how_far_a_retraction_is_from_the_geodesic(name: str, order: int) -> None:
    far, near = (
        np.abs(
            RETRACTIONS[name].compute(POINT, t * TANGENT)
            - RETRACTIONS["geodesic"].compute(POINT, t * TANGENT)
        ).max()
        for t in (0.1, 0.01)
    )
    assert np.log10(far / near) == pytest.approx(order, abs=0.15)


def test_the_geodesic_by_its_series() -> None:
    omega = rotation_generator(POINT, 0.3 * TANGENT)
    term = total = POINT
    for k in range(1, 30):
        term = omega @ term / k
        total = total + term
    np.testing.assert_allclose(
        RETRACTIONS["geodesic"].compute(POINT, 0.3 * TANGENT), total, atol=1e-13
    )


@pytest.mark.parametrize("name", RETRACTIONS)
def test_a_stack_is_retracted_matrix_by_matrix(name: str) -> None:
    points = np.stack([orthonormal_columns(RNG, N, K) for _ in range(2)])
    steps = tangent_projection(points, RNG.normal(size=(2, N, K)))
    together = RETRACTIONS[name].compute(points, steps)
    for i in range(2):
        np.testing.assert_allclose(
            together[i], RETRACTIONS[name].compute(points[i], steps[i]), atol=1e-13
        )


@pytest.mark.parametrize("name", RETRACTIONS)
def test_a_thousand_steps(name: str) -> None:
    point = orthonormal_columns(RNG, N, K)
    for gradient in 0.1 * RNG.standard_normal((1000, N, K)):
        point = RETRACTIONS[name].compute(point, tangent_projection(point, gradient))
    assert orthonormality_error(point) < 2e-13


def test_adam_without_the_manifold_drifts_away() -> None:
    heads = np.stack([orthonormal_columns(RNG, N, K) for _ in range(2)])
    free, held = Moments(0 * heads, 0 * heads), first_moments(heads)
    free_heads = heads
    for step in range(1, 21):
        gradient = RNG.normal(size=heads.shape)
        free_heads, free = adam_step(free_heads, gradient, free, step, 0.1)
        heads, held = stiefel_adam_step(heads, gradient, held, step, 0.1)
    assert orthonormality_error(free_heads) > 0.1
    assert orthonormality_error(heads) < 1e-14
    assert held.second.shape == (2, 1, 1)
    np.testing.assert_allclose(tangent_projection(heads, held.first), held.first, atol=1e-14)


def test_heads_of_a_fused_matrix() -> None:
    fused = np.arange(2 * 5 * 6).reshape(2, 5, 6)
    heads = head_matrices(fused, 3)
    assert heads.shape == (2, 3, 5, 2)
    assert (heads[:, 1] == fused[..., 2:4]).all()
    assert (fused_matrix(heads) == fused).all()


def test_a_step_on_the_sphere() -> None:
    step = sphere_step(np.array([0.0, 0, 1]), np.array([-1.0, 0, 7]), step_size=0.5)
    assert step.tangent.tolist() == [-1, 0, 0]
    assert step.straight_end.tolist() == [0.5, 0, 1]
    for name in ("qr", "polar"):
        np.testing.assert_allclose(
            step.landing_points[name], np.array([0.5, 0, 1]) / np.sqrt(1.25), atol=1e-14
        )
    np.testing.assert_allclose(
        step.landing_points["geodesic"], [np.sin(0.5), 0, np.cos(0.5)], atol=1e-14
    )
    np.testing.assert_allclose(step.path[-1], step.landing_points["geodesic"], atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(step.path, axis=1), 1, atol=1e-14)


N_FEATURES, TOKENS, HEADS = 12, 7, 3
Z = np.random.default_rng(0).normal(size=(N_FEATURES, TOKENS))
JULIA_HEADS = JuliaHeads.random(N_FEATURES, HEADS, seed=1)


@pytest.mark.parametrize(
    ("arguments", "condition", "singular", "spread", "entropy"),
    [
        (("orthonormal", 64, 8, None), 1.00, (1.00, 1.00), 0.99, 3.03),
        (("normal", 64, 8, None), 1.83, (1.39, 0.61), 0.99, 3.03),
        (("glorot", 64, 8, None), 1.77, (2.45, 1.08), 1.76, 2.42),
        (("orthonormal", 64, 8, 1 / 8), 1.00, (1.00, 1.00), 0.35, 3.41),
    ],
)
def test_what_the_columns_change(
    arguments: tuple[str, int, int, float | None],
    condition: float,
    singular: tuple[float, float],
    spread: float,
    entropy: float,
) -> None:
    columns, d_model, n_heads, scale = arguments
    effect = column_effect(columns, d_model, n_heads, scale=scale)
    assert effect.condition == pytest.approx(condition, rel=0.1)
    assert effect.singular_values[[0, -1]] == pytest.approx(singular, rel=0.08)
    assert effect.score_spread == pytest.approx(spread, rel=0.05)
    assert effect.entropy == pytest.approx(entropy, abs=0.05)


def test_even_attention_has_the_entropy_of_its_tokens() -> None:
    assert column_effect("normal", 6, 2, n_tokens=13, scale=0.0).entropy == pytest.approx(
        math.log(13)
    )


@pytest.mark.parametrize("connection", [False, True])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_both_mappings(convention: str, connection: bool) -> None:
    check = check_mapping(Z, JULIA_HEADS, convention, add_connection=connection)
    assert check.theirs.shape == (N_FEATURES, TOKENS)
    assert check.difference < 1e-12


def test_the_conventions_by_loops() -> None:
    head, token, feature = 1, 4, 2
    n = N_FEATURES // HEADS
    scales = {"manual": math.sqrt(N_FEATURES / HEADS), "code": math.sqrt(N_FEATURES)}
    for convention, scale in scales.items():
        first, second = JULIA_HEADS.p_q, JULIA_HEADS.p_k
        if convention == "manual":
            first, second = second, first
        logits = [
            sum((first[head].T @ Z[:, j]) * (second[head].T @ Z[:, token])) / scale
            for j in range(TOKENS)
        ]
        total = sum(math.exp(logit) for logit in logits)
        shares = [math.exp(logit) / total for logit in logits]
        expected = sum(
            share * (JULIA_HEADS.p_v[head].T @ Z[:, j])[feature] for j, share in enumerate(shares)
        )
        found = check_mapping(Z, JULIA_HEADS, convention).theirs[head * n + feature, token]
        assert found == pytest.approx(expected, abs=1e-13)
