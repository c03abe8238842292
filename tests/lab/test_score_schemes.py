"""Four ways to the same scores: equal numbers, and counts that are those of the arithmetic
really done.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, attend
from attention_lab.heads.counts import LayerSize
from attention_lab.heads.score_schemes import SCHEMES, Scheme, measure_scheme, wasted_share
from tests.core.counted_numbers import counted
from tests.core.random_layers import assert_same

SMALL = st.integers(1, 7)
BY_KEY = {scheme.key: scheme for scheme in SCHEMES}
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


@every_scheme
def test_the_scores_are_those_of_the_layer(scheme: Scheme) -> None:
    trace = attend(
        np.random.default_rng(1).normal(size=(5, 7)), Projections.random(7, 3, d_k=2, d_v=2)
    )
    assert_same(scheme.scores(trace.query_heads[0], trace.key_heads[0]), trace.scores[0])


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


def test_the_full_product_holds_what_is_thrown_away() -> None:
    queries, keys = heads(3, 5, 7)
    pair = queries[:, 2] @ keys[:, 4].T
    assert pair.shape == (3, 3)
    assert_same(np.diagonal(pair), BY_KEY["full"].scores(queries, keys)[:, 2, 4])


def test_one_head_in_disguise() -> None:
    queries, keys = heads(3, 5, 7)
    fused_queries, fused_keys = (np.hstack(list(of_heads)) for of_heads in (queries, keys))
    assert_same(fused_queries @ fused_keys.T, BY_KEY["fused"].scores(queries, keys).sum(axis=0))


@every_scheme
def test_single_precision_stays(scheme: Scheme) -> None:
    queries, keys = heads(2, 3, 5)
    assert scheme.scores(queries.astype(np.float32), keys.astype(np.float32)).dtype == np.float32


def test_a_measurement() -> None:
    found = measure_scheme(SCHEMES[1], *heads(2, 3, 5), repeats=2)
    assert found.seconds > 0
