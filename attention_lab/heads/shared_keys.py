"""Heads that share keys and values (MQA, GQA): what that saves, and how a layer without sharing
becomes one with it.

MHA gives each query head its own keys and values, GQA one set to each group of heads, MQA one set
to all heads.
"""

from dataclasses import replace
from typing import Any

from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from .counts import Count
from .reruns import rerun

# Weights without biases.
PARAMETERS: tuple[Count, ...] = (
    Count("W_Q", r"C\,h\,d_k", lambda s: s.d_model * s.n_heads * s.d_k),
    Count("W_K", r"C\,G\,d_k", lambda s: s.d_model * s.n_kv_heads * s.d_k),
    Count("W_V", r"C\,G\,d_v", lambda s: s.d_model * s.n_kv_heads * s.d_v),
    Count("W_O", r"h\,d_v\,C", lambda s: s.n_heads * s.d_v * s.d_model),
)

# The numbers that a text generator keeps for n tokens, so that the next token can attend to them.
CACHE: tuple[Count, ...] = (
    Count("keys", r"n\,G\,d_k", lambda s: s.n_tokens * s.n_kv_heads * s.d_k),
    Count("values", r"n\,G\,d_v", lambda s: s.n_tokens * s.n_kv_heads * s.d_v),
)

# For one sequence of n tokens that attends to itself; all scores are computed, masked or not.
MULTIPLICATIONS: tuple[Count, ...] = (
    Count("queries", r"n\,C\,h\,d_k", lambda s: s.n_tokens * s.d_model * s.n_heads * s.d_k),
    Count("keys", r"n\,C\,G\,d_k", lambda s: s.n_tokens * s.d_model * s.n_kv_heads * s.d_k),
    Count("values", r"n\,C\,G\,d_v", lambda s: s.n_tokens * s.d_model * s.n_kv_heads * s.d_v),
    Count("scores", r"h\,n^2 d_k", lambda s: s.n_heads * s.n_tokens**2 * s.d_k),
    Count("mixing", r"h\,n^2 d_v", lambda s: s.n_heads * s.n_tokens**2 * s.d_v),
    Count("output", r"n\,h\,d_v\,C", lambda s: s.n_tokens * s.n_heads * s.d_v * s.d_model),
)


def with_shared_keys(trace: Trace, n_kv_heads: int) -> Trace:
    """The layer with fewer key/value heads; the same trace if the number stays."""
    if n_kv_heads == trace.projections.groups:
        return trace
    return rerun(trace, projections=share_heads(trace.projections, n_kv_heads))


def share_heads(projections: Projections, n_kv_heads: int) -> Projections:
    """The same layer with fewer key/value heads. Each new one is the mean of those it replaces.

    W_Q and W_O stay as they are. n_kv_heads: a divisor of the present number.
    Source: Ainslie et al. 2023 (GQA), section 2.1 (mean pooling); Shazeer 2019 for one shared head.
    """
    p = projections
    widths = {"w_k": p.d_k, "b_k": p.d_k, "w_v": p.d_v, "b_v": p.d_v}
    pooled: dict[str, Any] = {
        name: _pooled(array, width, n_kv_heads)
        for name, width in widths.items()
        if (array := getattr(p, name)) is not None
    }
    return replace(p, **pooled, n_kv_heads=n_kv_heads)


def _pooled(weights_XF: Array, width: int, groups: int) -> Array:
    """The mean of neighbouring heads' blocks of columns."""
    blocks_XGRK = weights_XF.reshape(*weights_XF.shape[:-1], groups, -1, width)
    mean_XF: Array = blocks_XGRK.mean(axis=-2).reshape(*weights_XF.shape[:-1], groups * width)
    return mean_XF
