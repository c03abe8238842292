"""Layers with every option, each axis of another length."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_core import HeadNorm, Projections, Rotary, Trace, attend, padding_mask
from attention_core.projections import BIASES, MATRICES

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 4, 17, 6, 3
ORDER = [
    *("inputs", "memory", "queries", "keys", "values"),
    *("query_heads", "key_heads", "value_heads"),
    *("normed_queries", "normed_keys", "turned_queries", "turned_keys"),
    *("scores", "scaled_scores", "masked_scores", "probabilities", "head_outputs"),
    *("merged", "output"),
]
SOME = np.random.default_rng(7).random((B, H, T, S)) < 0.6
EMPTY = SOME & (np.arange(T) != 1)[:, np.newaxis]
BIAS = np.random.default_rng(8).normal(size=(H, T, S))
HIDING = np.where(SOME, 0.5, -np.inf)
ALL_BIASES = {"bias": True}
NORM = HeadNorm(np.linspace(0.5, 2, K), 3.0, epsilon=0.01)
SINK = np.linspace(-2, 3, H)
# name -> how the weights are made, how the layer is called; "self" leaves the memory out.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "self": ({"d_memory": D}, {"self": True}),
    "cross": ({}, {}),
    "biases": (ALL_BIASES, {}),
    "some biases": (ALL_BIASES | {"b_q": None, "b_o": None}, {}),
    "wide output, a square matrix": ({"d_out": H * V}, {}),
    "causal": ({"d_memory": D}, {"self": True, "causal": True}),
    "causal cross": ({}, {"causal": True}),
    "mask": ({}, {"mask": SOME}),
    "mask of one query row": ({}, {"mask": SOME[0, 0, 0]}),
    "padding": ({}, {"mask": padding_mask([2, 5], S), "causal": True}),
    "bias": ({}, {"bias": BIAS}),
    "bias that hides": ({}, {"bias": HIDING}),
    "mask and bias": ({}, {"mask": SOME, "bias": BIAS}),
    "softcap": ({}, {"softcap": 0.5}),
    "scale": ({}, {"scale": -0.25}),
    "scale 0": ({}, {"scale": 0}),
    "empty rows": (ALL_BIASES, {"mask": EMPTY}),
    "empty rows by bias": ({}, {"bias": np.where(EMPTY, BIAS, -np.inf)}),
    "empty rows as nan": (ALL_BIASES, {"mask": EMPTY, "empty_rows": "nan"}),
    "shared heads": ({"n_kv_heads": G}, {}),
    "one shared head": ({"n_kv_heads": 1, **ALL_BIASES}, {"mask": SOME}),
    "residual": (ALL_BIASES, {"residual": True}),
    "residual to oneself": ({"d_memory": D}, {"self": True, "residual": True}),
    "heads joined": ({"w_o": None}, {}),
    "heads joined with a bias": ({"w_o": None, "b_o": np.arange(H * V)}, {}),
    "rotary": ({}, {"rotary": Rotary()}),
    "rotary by halves": (ALL_BIASES, {"rotary": Rotary(100.0, "halves", start=7)}),
    "head norm": ({"n_kv_heads": G}, {"head_norm": NORM}),
    "head norm, rotary": ({"n_kv_heads": 1}, {"head_norm": NORM, "rotary": Rotary(start=-3)}),
    "sink": ({}, {"sink": SINK}),
    "sink and empty rows": ({}, {"sink": 0.5, "mask": EMPTY, "empty_rows": "nan"}),
    "everything": (
        {"n_kv_heads": G, **ALL_BIASES},
        {
            "mask": EMPTY,
            "bias": BIAS,
            "causal": True,
            "scale": 0.3,
            "softcap": 2.0,
            "residual": True,
            "rotary": Rotary(10.0, "halves", start=2),
            "head_norm": NORM,
            "sink": SINK,
        },
    ),
}


def arguments(name: str, dtype: str) -> tuple[np.ndarray, Projections, dict[str, Any]]:
    """The inputs, the weights and the options of a case."""
    made, called = (dict(part) for part in CASES[name])
    changed = {key: made.pop(key) for key in list(made) if key[:2] in ("w_", "b_")}
    p = Projections.random(D, H, **{"d_k": K, "d_v": V, "d_memory": M, "seed": 3} | made)
    rng = np.random.default_rng(9)
    x, memory = rng.normal(size=(B, T, D)).astype(dtype), rng.normal(size=(B, S, M)).astype(dtype)
    called |= {} if called.pop("self", False) else {"memory": memory}
    return x, replace(p, **changed).astype(dtype), called


def run(name: str, dtype: str = "float64") -> tuple[Trace, dict[str, Any]]:
    """The trace of a case, and what a reader needs to run its code: inputs, weights, options,
    sizes.
    """
    x, p, called = arguments(name, dtype)
    trace = attend(x, p, **called)
    given = {"x": x, "other_sequence": called.get("memory"), "np": np}
    given |= {key: getattr(p, key) for key in MATRICES + BIASES}
    settings = ("scale", "softcap", "mask", "bias", "query_gain", "key_gain", "sink")
    return trace, given | {key: getattr(trace, key) for key in settings} | trace.sizes
