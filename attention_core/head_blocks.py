"""The part of a field that belongs to a head; heads may share keys and values."""

from __future__ import annotations

from .trace import STEPS, Trace


def head_of(trace: Trace, field: str, head: int) -> int:
    """The index along a field's head axis of what a head reads: its own, or the key/value head that
    it shares.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0, 2.0]], Projections.random(d_model=2, n_heads=4, n_kv_heads=2, d_k=3))
    >>> head_of(trace, "query_heads", 3), head_of(trace, "key_heads", 3)
    (3, 1)
    """
    if "G" not in STEPS[field].axes:
        return head
    sizes = trace.sizes
    return head // (sizes["H"] // sizes["G"])


def head_columns(trace: Trace, field: str, head: int) -> slice:
    """The columns of queries, keys, values or merged that belong to a head.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0, 2.0]], Projections.random(d_model=2, n_heads=4, n_kv_heads=2, d_k=3))
    >>> head_columns(trace, "queries", 3), head_columns(trace, "keys", 3)
    (slice(9, 12, None), slice(3, 6, None))
    """
    width = trace.sizes[STEPS[field].letters[-1].split("·")[1]]
    first = head_of(trace, field, head) * width
    return slice(first, first + width)
