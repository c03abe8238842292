"""What orthonormal columns change in a layer, and how the conventions of the Julia package map to
ours.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_lab.labs.julia_mapping import CONVENTIONS, JuliaHeads, check_mapping, column_softmax
from attention_lab.labs.stiefel import column_effect

N, TOKENS, HEADS = 12, 7, 3
Z = np.random.default_rng(0).normal(size=(N, TOKENS))
JULIA_HEADS = JuliaHeads.random(N, HEADS, seed=1)


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


def test_singular_values_of_the_comparison() -> None:
    rng = np.random.default_rng(5)
    rng.standard_normal((2, 4))
    p_q, p_k = (np.stack([rng.standard_normal((4, 2)) / 2 for _ in range(2)]) for _ in range(2))
    direct = np.linalg.svd(p_q @ p_k.swapaxes(1, 2), compute_uv=False)[:, :2].mean(axis=0)
    np.testing.assert_allclose(
        column_effect("normal", 4, 2, n_tokens=2, seed=5).singular_values, direct, atol=1e-12
    )


def test_even_attention_has_the_entropy_of_its_tokens() -> None:
    assert column_effect("normal", 6, 2, n_tokens=13, scale=0.0).entropy == pytest.approx(
        math.log(13)
    )


@pytest.mark.parametrize("connection", [False, True])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_both_mappings(convention: str, connection: bool) -> None:
    check = check_mapping(Z, JULIA_HEADS, convention, add_connection=connection)
    assert check.theirs.shape == (N, TOKENS)
    assert check.difference < 1e-12


def test_the_conventions_by_loops() -> None:
    head, token, feature = 1, 4, 2
    n = N // HEADS
    for convention, scale in (("manual", math.sqrt(N / HEADS)), ("code", math.sqrt(N))):
        first, second = (
            (JULIA_HEADS.p_k, JULIA_HEADS.p_q)
            if convention == "manual"
            else (JULIA_HEADS.p_q, JULIA_HEADS.p_k)
        )
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


def test_the_conventions_differ() -> None:
    manual, code = (check_mapping(Z, JULIA_HEADS, convention).theirs for convention in CONVENTIONS)
    assert np.abs(manual - code).max() > 0.1


def test_the_softmax_of_columns() -> None:
    shares = column_softmax(np.array([[0.0, 1000.0], [math.log(3), 1000.0]]))
    np.testing.assert_allclose(shares, [[0.25, 0.5], [0.75, 0.5]])
