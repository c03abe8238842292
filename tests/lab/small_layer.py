"""Layers on which functions are tried, of self-attention and of cross-attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core import Projections, Trace, attend

X = np.random.default_rng(0).standard_normal((5, 4))
P = Projections.random(4, 2)
TRACE = attend(X, P)
SHARES = TRACE.probabilities[0]

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3


def self_layer(everything: bool) -> Trace:
    """Seven tokens, three heads of value width 5; with everything: biases, mask and residual."""
    weights = Projections.random(11, 3, d_k=2, d_v=5, seed=1, bias=everything)
    x = np.random.default_rng(5).normal(size=(7, 11))
    return attend(x, weights, causal=everything, residual=everything)


SELF_LAYERS = (self_layer(everything=False), self_layer(everything=True))


def cross_layer(**options: Any) -> Trace:
    """Cross-attention with shared heads, every axis another prime (but heads, shared in pairs)."""
    rng = np.random.default_rng(5)
    weights = Projections.random(D, H, n_kv_heads=G, d_k=K, d_v=V, d_memory=M, bias=True)
    return attend(rng.normal(size=(B, T, D)), weights, memory=rng.normal(size=(B, S, M)), **options)
