"""A head's part of a field is the part that the computation reads, heads shared or not."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_core.trace import head_columns, head_of

FUSED = {
    "queries": "query_heads",
    "keys": "key_heads",
    "values": "value_heads",
    "merged": "head_outputs",
}


def layer(n_kv_heads: int) -> Trace:
    """Six heads that share so many key/value heads; every other axis a prime."""
    weights = Projections.random(7, 6, n_kv_heads=n_kv_heads, d_k=2, d_v=5, d_memory=11)
    rng = np.random.default_rng(3)
    return attend(rng.normal(size=(5, 7)), weights, memory=rng.normal(size=(13, 11)))


@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
def test_scores_and_outputs_come_from_the_part_that_is_named(n_kv_heads: int) -> None:
    trace = layer(n_kv_heads)
    for head in range(6):
        parts = {f: getattr(trace, f)[0, head_of(trace, f, head)] for f in FUSED.values()}
        query, key, value, output = parts.values()
        np.testing.assert_allclose(query @ key.T, trace.scores[0, head], rtol=0, atol=1e-12)
        mixed = trace.probabilities[0, head] @ value
        np.testing.assert_allclose(mixed, output, rtol=0, atol=1e-12)
        for field, of_heads in FUSED.items():
            columns = getattr(trace, field)[0][:, head_columns(trace, field, head)]
            np.testing.assert_array_equal(columns, parts[of_heads])
