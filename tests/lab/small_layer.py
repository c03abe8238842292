"""Layers on which functions are tried: a small one, and one of cross-attention with prime sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core import Projections, Trace, attend

X = np.random.default_rng(0).standard_normal((5, 4))
P = Projections.random(4, 2)
TRACE = attend(X, P)
SHARES = TRACE.probabilities[0]

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3


def cross_layer(**options: Any) -> Trace:
    """Cross-attention with shared heads, every axis another prime (but heads, shared in pairs)."""
    rng = np.random.default_rng(5)
    weights = Projections.random(D, H, n_kv_heads=G, d_k=K, d_v=V, d_memory=M, bias=True)
    return attend(rng.normal(size=(B, T, D)), weights, memory=rng.normal(size=(B, S, M)), **options)
