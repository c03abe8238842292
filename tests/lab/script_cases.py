"""Traces whose code is run: each option of a layer, very large and small numbers, and labels
that are hard to quote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from attention_core import HeadNorm, Projections, Rotary, Trace, attend, padding_mask
from attention_lab.scenario import Scenario, trace_of

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
HOSTILE = (
    "'); import os; os._exit(3)  #",
    '"""\nraise SystemExit(3)\n"""',
    "\\",
    'it\'s "so"\r\n\x00\x0c\u2028',
    "</script><script>alert(1)</script>",
    "👨\u200d👩\u200d👧",
    "\u202eשלום\u202c",
    "\ud800 unpacked('",
    "{scale} %s $x$",
    "x" * 500,
    "# coding: latin-1",
)
SOME = np.random.default_rng(7).random((B, H, T, S)) < 0.6


def layer(
    *,
    itself: bool = False,
    changed: dict[str, Any] | None = None,
    size: float = 1.0,
    **options: Any,
) -> Trace:
    """A layer of prime sizes that reads another sequence, or itself; `changed` are options of
    its weights.
    """
    rng = np.random.default_rng(9)
    dtype = options.pop("dtype", "float64")
    made = {"d_k": K, "d_v": V, "d_memory": D if itself else M, "seed": 3} | (changed or {})
    w_o = {"w_o": None, "b_o": None} if made.pop("joined", False) else {}
    weights = replace(Projections.random(D, H, **made), **w_o).astype(dtype)
    x, memory = (size * rng.normal(size=shape).astype(dtype) for shape in ((B, T, D), (B, S, M)))
    return attend(x, weights, memory=None if itself else memory, **options)


def tiny() -> Trace:
    """A layer small enough to be read in full, in whole numbers."""
    x = np.random.default_rng(2).integers(-2, 3, size=(3, 4)).astype(float)
    weights = replace(Projections.weightless(4, n_heads=2), b_q=[0.5, 0.0, -1.0, 2.0])
    return attend(x, weights, causal=True).labelled(("a", "b", "c"))


def hostile() -> Trace:
    """A small layer whose labels try to leave their quotes."""
    x = np.random.default_rng(3).normal(size=(len(HOSTILE), 2))
    return attend(x, Projections.random(2, 1)).labelled(HOSTILE)


CASES: dict[str, Callable[[], Trace]] = {
    "default": lambda: trace_of(Scenario()),
    "weightless": lambda: trace_of(Scenario(weights="weightless")),
    "causal": lambda: trace_of(Scenario(mask="causal", n_heads=2)),
    "padding": lambda: trace_of(Scenario(mask="padding", n_tokens=17)),
    "free widths": lambda: trace_of(
        Scenario(n_heads=3, d_k=5, d_v=2, scaling="custom", scale=100.0)
    ),
    "residual": lambda: trace_of(Scenario(residual=True, scaling="off")),
    "empty rows": lambda: layer(mask=padding_mask([0, 4], S)),
    "empty rows as nan": lambda: layer(mask=padding_mask([0, 4], S), empty_rows="nan"),
    "shared heads": lambda: layer(changed={"n_kv_heads": G, "bias": True}, mask=SOME),
    "cross-attention": lambda: layer().labelled(("a", "b", "c"), ("v", "w", "x", "y", "z")),
    "bias": lambda: layer(bias=np.where(SOME, 0.3, -np.inf)),
    "softcap": lambda: layer(itself=True, softcap=0.5),
    "heads joined": lambda: layer(changed={"joined": True, "bias": True}, itself=True, mask=True),
    "single precision": lambda: layer(
        dtype="float32", softcap=2.0, bias=np.float32(0.1), scale=0.3
    ),
    "large numbers": lambda: layer(size=1e6),
    "small numbers": lambda: layer(size=1e-9),
    "tiny": tiny,
    "hostile": hostile,
    "modern": lambda: layer(
        changed={"d_k": 6, "n_kv_heads": G},
        head_norm=HeadNorm(np.linspace(0.5, 2, 6), 2.0),
        rotary=Rotary(start=40),
        sink=np.linspace(-2, 3, H),
    ),
    "rotary by halves": lambda: layer(
        changed={"d_k": 4}, rotary=Rotary(100.0, "halves"), dtype="float32", sink=0.0, mask=SOME
    ),
    "everything": lambda: layer(
        changed={"n_kv_heads": G, "bias": True},
        mask=SOME,
        bias=np.linspace(-1, 1, S),
        causal=True,
        scale=0.3,
        softcap=2.0,
        residual=True,
    ),
}


@lru_cache
def case(name: str) -> Trace:
    """The trace of a case."""
    return CASES[name]()
