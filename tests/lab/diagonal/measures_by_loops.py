"""The measures of the diagonal by plain loops."""

from __future__ import annotations

import numpy as np

from attention_core import causal_mask, softmax
from attention_lab.diagonal.measures import SelfAttention

T = 5


def random_square(seed: int, causal: bool = False) -> SelfAttention:
    """Scores of any kind, not symmetric, with their softmax."""
    scores = np.random.default_rng(seed).normal(size=(T, T))
    scores = np.where(causal_mask(T), scores, -np.inf) if causal else scores
    return SelfAttention(scores, softmax(scores))


def by_loops(square: SelfAttention) -> dict[str, float]:
    """Every measure of an unmasked matrix, number by number from its definition."""
    s, a = square.scores.tolist(), square.probabilities.tolist()
    everyone = range(len(s))
    pairs = [(i, j) for i in everyone for j in everyone if i != j]
    own = [a[i][i] for i in everyone]
    margin = [s[i][i] - max(s[i][j] for j in everyone if j != i) for i in everyone]
    chi = [s[i][i] + s[j][j] - s[i][j] - s[j][i] for i, j in pairs]
    uniform = 1 / len(s)
    return {
        "self_mass": sum(own) / len(s),
        "excess_self_mass": (sum(own) / len(s) - uniform) / (1 - uniform),
        "argmax_rate": sum(m >= 0 for m in margin) / len(s),
        "majority_rate": sum(mass > 0.5 for mass in own) / len(s),
        "mean_margin": sum(margin) / len(s),
        "least_margin": min(margin),
        "violation_rate": sum(a[i][j] > max(own[i], own[j]) + 1e-12 for i, j in pairs) / len(pairs),
        "mean_log_cross_ratio": sum(chi) / len(chi),
        "negative_cross_ratios": sum(x < 0 for x in chi) / len(chi),
    }
