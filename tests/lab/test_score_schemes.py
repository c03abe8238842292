"""Four ways to the same scores: equal numbers, and counts that are those of the arithmetic
really done.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lab.heads.counts import LayerSize
from attention_lab.heads.scheme_runs import measure_scheme
from attention_lab.heads.score_schemes import SCHEMES, Scheme, wasted_share
from tests.core.counted_numbers import counted
from tests.core.random_layers import assert_same

SMALL = st.integers(1, 7)
every_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.key)


def heads(n_heads: int, n_tokens: int, d_k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Queries and keys of one sequence."""
    queries, keys = np.random.default_rng(seed).normal(size=(2, n_heads, n_tokens, d_k))
    return queries, keys


def size(n_heads: int, n_tokens: int, d_k: int) -> LayerSize:
    """The sizes for counts of scores; the others do not matter."""
    return LayerSize(n_tokens, n_heads * d_k, n_heads, n_heads, d_k, 1)


@settings(max_examples=50)
@given(SMALL, SMALL, SMALL, SMALL, st.integers(0, 2**32 - 1))
def test_all_schemes_agree(n_heads: int, n_queries: int, n_keys: int, d_k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    queries, keys = (
        rng.normal(size=(n_heads, n_queries, d_k)),
        rng.normal(size=(n_heads, n_keys, d_k)),
    )
    expected = np.einsum("htk,hsk->hts", queries, keys)
    for scheme in SCHEMES:
        assert_same(scheme.scores(queries, keys), expected)


@pytest.mark.parametrize("sizes", [(1, 2, 3), (3, 2, 5), (2, 5, 1), (5, 3, 2)])
@every_scheme
def test_counts_of_arithmetic(scheme: Scheme, sizes: tuple[int, int, int]) -> None:
    tally: Counter[str] = Counter()
    queries, keys = heads(*sizes)
    scheme.scores(counted(queries, tally), counted(keys, tally))
    assert scheme.multiplications.of(size(*sizes)) == tally["multiplications"]
    assert scheme.additions.of(size(*sizes)) == tally["additions"]


@every_scheme
def test_counts_of_memory(scheme: Scheme) -> None:
    sizes = (5, 211, 7)
    numbers = 5 * 211**2 + scheme.extra.of(size(*sizes))
    peak = measure_scheme(scheme, *heads(*sizes), repeats=1).peak_bytes
    assert 8 * numbers <= peak < 8 * (numbers + 211**2 // 2)


def test_the_table_of_counts() -> None:
    of_size = size(3, 10, 8)
    found = {
        s.key: (s.multiplications.of(of_size), s.additions.of(of_size), s.extra.of(of_size))
        for s in SCHEMES
    }
    assert found == {
        "loop": (2400, 2100, 100),
        "fused": (2400, 2100, 0),
        "full": (7200, 6300, 900),
        "hadamard": (2400, 2100, 2400),
    }
    assert wasted_share(3) == pytest.approx(1 - 2400 / 7200)
