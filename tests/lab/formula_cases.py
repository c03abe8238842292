"""Layers with every option that a formula can tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import Projections, Trace, attend
from attention_lab.notation.texts import NOTATIONS

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
WRITTEN = tuple(NOTATIONS.values())
BIAS = np.random.default_rng(8).normal(size=(H, T, S))
MASK = np.random.default_rng(7).random((B, H, T, S)) < 0.6
# name -> the weights, the options; "cross" asks for a memory.
KNOWN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "causal": ({}, {"causal": True}),
    "mask": ({}, {"mask": MASK[..., :T]}),
    "scale": ({}, {"scale": 0.25}),
    "residual": ({}, {"residual": True}),
    "joined": ({"w_o": None}, {}),
    "joined with a bias": ({"w_o": None, "b_o": np.ones(H * V)}, {}),
    "output bias": ({"b_o": np.ones(D)}, {"residual": True}),
}
MORE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "biases": ({"bias": True}, {}),
    "softcap": ({}, {"softcap": 2.0}),
    "score bias": ({}, {"bias": BIAS[..., :T]}),
    "cross": ({}, {"cross": True, "mask": MASK}),
    "shared heads": ({"n_kv_heads": G}, {}),
    "everything": (
        {"n_kv_heads": G, "bias": True},
        {
            "cross": True,
            "bias": BIAS,
            "mask": MASK,
            "causal": True,
            "softcap": 2.0,
            "residual": True,
        },
    ),
}
OUTPUTS = {
    "residual": r"Y = O\,W_O + X",
    "joined": "Y = O",
    "joined with a bias": "Y = O + b_O",
    "output bias": r"Y = O\,W_O + b_O + X",
}


def run(case: str) -> Trace:
    """The trace of a case."""
    made, called = (dict(part) for part in (KNOWN | MORE)[case])
    cross = called.pop("cross", False)
    changed = {name: made.pop(name) for name in ("w_o", "b_o") if name in made}
    weights = Projections.random(D, H, **{"d_k": K, "d_v": V, "d_memory": M if cross else D} | made)
    rng = np.random.default_rng(9)
    x, memory = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, M))
    return attend(x, replace(weights, **changed), memory=memory if cross else None, **called)
