"""Traces to draw: cross-attention, every axis of another prime length, with the options that
change a picture.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from attention_core import HeadNorm, Projections, Rotary, Trace, attend

T, S, D, M, K, V, H = 5, 7, 11, 13, 2, 3, 17
HOSTILE = (
    *("<script>alert(1)</script>", "@query", "&lt;b&gt;", "%{customdata}", "שלום", "x" * 500),
    "<b>bold</b><br>",
)
EMPTY_ROW = np.arange(T)[:, np.newaxis] != 2
CASES: dict[str, dict[str, Any]] = {
    "no mask": {},
    "causal": {"causal": True},
    "empty row": {"mask": EMPTY_ROW & np.ones((T, S), dtype=bool)},
    "all hidden": {"mask": np.zeros((T, S), dtype=bool)},
    "modern": {
        "rotary": Rotary(),
        "head_norm": HeadNorm(1.5),
        "sink": np.arange(H) / 5,
        "softcap": 2.0,
    },
    "bias and residual": {"bias": np.linspace(-1, 1, S), "residual": True, "softcap": 2.0},
}


@lru_cache(maxsize=32)
def example(
    case: str = "no mask", n_heads: int = H, shared: bool = False, tokens: tuple[str, ...] = HOSTILE
) -> Trace:
    """A layer with its labels; shared means that one key/value head serves all heads."""
    rng = np.random.default_rng(6)
    weights = Projections.random(
        D, n_heads, d_k=K, d_v=V, d_memory=M, n_kv_heads=1 if shared else None, bias=True
    )
    trace = attend(
        rng.normal(size=(1, T, D)), weights, memory=rng.normal(size=(1, S, M)), **CASES[case]
    )
    return trace.labelled(tokens[:T], tokens[:S])


@lru_cache(maxsize=4)
def square(n_tokens: int, n_heads: int = 2, causal: bool = True) -> Trace:
    """Self-attention of n_tokens, for pictures that change with size."""
    x = np.random.default_rng(n_tokens).normal(size=(n_tokens, 6))
    trace = attend(x, Projections.random(6, n_heads, d_k=3, d_v=3), causal=causal)
    return trace.labelled(tuple(f"t{i}" for i in range(n_tokens)))
