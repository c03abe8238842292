"""What heads cost: counts are those of the arrays and of the arithmetic really done, on every way
to the scores; sharing is averaging.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Projections, attend
from attention_lab.heads import score_schemes, window_convolution
from attention_lab.heads.counts import (
    SIZE_OF_LETTER,
    LayerSize,
    compare_counts,
    growing_sizes,
    layer_size,
    size_value,
    total_count,
)
from attention_lab.heads.designs import count_designs
from attention_lab.heads.score_schemes import (
    MAX_SCHEME_MULTIPLICATIONS,
    MAX_SCHEME_NUMBERS,
    SCHEMES,
    Scheme,
    measure_scheme,
    measure_schemes,
    scheme_gaps,
    wasted_share,
)
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS, share_heads
from attention_lab.heads.window_convolution import projections_as_convolutions
from tests.core.counted_numbers import counted
from tests.core.random_layers import assert_same

SIZE = LayerSize(n_tokens=12, d_model=16, n_heads=4, n_kv_heads=2, d_k=4, d_v=4)


@pytest.mark.parametrize("letter", SIZE_OF_LETTER)
def test_only_what_must_grows(letter: str) -> None:
    series = growing_sizes(SIZE, letter)
    values = [size_value(size, letter) for size in series]
    assert values == sorted(set(values))
    assert len(values) > 1
    stays = {
        "n": ("d_model", "n_heads", "n_kv_heads", "d_k"),
        "C": ("n_tokens", "n_heads", "n_kv_heads"),
        "h": ("n_tokens", "d_model"),
        "G": ("n_tokens", "d_model", "n_heads", "d_k"),
    }
    for size in series:
        assert all(getattr(size, name) == getattr(SIZE, name) for name in stays[letter])
        if letter in "Ch":
            assert size.d_k == size.d_v == size.d_model // size.n_heads >= 1


@pytest.mark.parametrize(
    ("groups", "expected"), [(4, [1, 2, 4, 8, 16, 32]), (2, [1, 1, 2, 4, 8, 16]), (1, [1] * 6)]
)
def test_key_value_heads_follow_the_heads(groups: int, expected: list[int]) -> None:
    size = LayerSize(12, 32, 4, groups, 8, 8)
    assert [one.n_kv_heads for one in growing_sizes(size, "h")] == expected


def test_every_divisor_is_a_number_of_groups() -> None:
    size = LayerSize(12, 24, 6, 1, 4, 4)
    series = growing_sizes(size, "G")
    assert [one.n_kv_heads for one in series] == [1, 2, 3, 6]
    assert [total_count(CACHE, one) for one in series] == [96, 192, 288, 576]


T, D, K, V = 5, 7, 3, 2
GROUPS = [1, 2, 3, 6]
X = np.random.default_rng(0).normal(size=(T, D))


def layer(n_kv_heads: int) -> Projections:
    """Six heads with a number of shared keys and values."""
    return Projections.random(D, 6, d_k=K, d_v=V, n_kv_heads=n_kv_heads)


@pytest.mark.parametrize("n_kv_heads", GROUPS)
def test_parameters_and_cache_are_the_sizes_of_the_arrays(n_kv_heads: int) -> None:
    trace = attend(X, layer(n_kv_heads))
    p, size = trace.projections, layer_size(trace)
    assert [count.of(size) for count in PARAMETERS] == [
        matrix.size for matrix in (p.w_q, p.w_k, p.w_v, p.w_o)
    ]
    assert [count.of(size) for count in CACHE] == [trace.keys.size, trace.values.size]


@pytest.mark.parametrize("n_kv_heads", GROUPS)
def test_multiplications_are_counted_right(n_kv_heads: int) -> None:
    trace, tally = attend(X, layer(n_kv_heads)), Counter[str]()
    p, read = trace.projections, 6 // n_kv_heads
    key_heads, value_heads = (
        heads[0].repeat(read, axis=0) for heads in (trace.key_heads, trace.value_heads)
    )
    products = [
        (X, p.w_q),
        (X, p.w_k),
        (X, p.w_v),
        (trace.query_heads[0], key_heads.swapaxes(-1, -2)),
        (trace.probabilities[0], value_heads),
        (trace.merged[0], p.w_o),
    ]
    for count, (left, right) in zip(MULTIPLICATIONS, products, strict=True):
        tally.clear()
        np.matmul(counted(left, tally), counted(right, tally))
        assert count.of(layer_size(trace)) == tally["multiplications"]


@pytest.mark.parametrize("groups", GROUPS)
def test_shared_keys_and_values_are_means(groups: int) -> None:
    weights = Projections.random(D, 6, d_k=K, d_v=V, bias=True)
    before, after = attend(X, weights), attend(X, share_heads(weights, groups))
    assert after.sizes["G"] == groups
    for field in ("key_heads", "value_heads"):
        old = getattr(before, field)[0]
        expected = old.reshape(groups, 6 // groups, *old.shape[1:]).mean(axis=1)
        assert_same(getattr(after, field)[0], expected)
    assert (after.queries == before.queries).all()


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
    _, peak = measure_scheme(scheme, *heads(*sizes), repeats=1)
    assert 8 * numbers <= peak < 8 * (numbers + 211**2 // 2)


@pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "d_k", "n_tokens"), [(1, 1, 5, 61), (6, 2, 3, 61), (16, 16, 128, 30)]
)
def test_four_ways_give_the_scores_of_the_layer(
    n_heads: int, n_kv_heads: int, d_k: int, n_tokens: int
) -> None:
    """Where a way would need too much, fewer tokens are compared; the result holds their number."""
    weights = Projections.random(64, n_heads, d_k=d_k, d_v=1, n_kv_heads=n_kv_heads)
    trace = attend(np.random.default_rng(8).normal(size=(61, 64)), weights)
    found = scheme_gaps(trace)
    assert set(found.gaps) == {scheme.key for scheme in SCHEMES}
    assert 0 < max(found.gaps.values()) < 1e-12
    assert found.n_tokens == n_tokens
    assert wasted_share(n_heads) == pytest.approx(1 - 1 / n_heads)


def test_a_call_is_timed_as_often_as_the_clock_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: 0.0003 * next(ticks))  # seconds
    monkeypatch.setattr(score_schemes, "time", clock)
    seconds, _ = measure_scheme(SCHEMES[0], *heads(2, 3, 5), repeats=2)
    assert seconds == pytest.approx(0.0003)
    assert next(ticks) == 2 * (1 + 7)  # 7 · .3 ms are more than the 2 ms that are needed


def test_runs_stay_within_their_bounds() -> None:
    size = LayerSize(n_tokens=64, d_model=4, n_heads=4, n_kv_heads=4, d_k=1, d_v=1)
    runs = measure_schemes(size, "n")
    reached = {}
    for run in runs:
        count = run.scheme
        assert count.extra.of(run.size) + 4 * run.size.n_tokens**2 <= MAX_SCHEME_NUMBERS
        assert count.multiplications.of(run.size) <= MAX_SCHEME_MULTIPLICATIONS
        # The result alone is h n² numbers of 8 bytes.
        assert run.peak_bytes >= 8 * 4 * run.size.n_tokens**2
        assert run.seconds > 0
        reached[count.key] = run.size.n_tokens
    assert reached["fused"] == 512
    assert reached["full"] == 256


BUFFER_X = np.random.default_rng(5).standard_normal((7, 11))


@pytest.mark.parametrize("groups", [3, 1])
@pytest.mark.parametrize("bias", [False, True])
def test_the_projections_are_convolutions(
    monkeypatch: pytest.MonkeyPatch, groups: int, bias: bool
) -> None:
    """A window of one token, and a filter for each column of the weights, give the layer's
    queries, keys and values; other weights would not.
    """
    monkeypatch.setattr(window_convolution, "tolerance", lambda *_: 1e-12)
    p = Projections.random(11, 3, d_k=5, d_v=2, n_kv_heads=groups, bias=bias)
    trace = attend(BUFFER_X, p)
    found = projections_as_convolutions(trace, head=2)
    assert [one.field for one in found] == ["queries", "keys", "values", "output"]
    assert [one.sizes for one in found] == [
        (11, 5, 11, 15),
        (11, 5, 11, 5 * groups),
        (11, 2, 11, 2 * groups),
        (2, 11, 6, 11),
    ]
    assert [one.difference for one in found] == [None] * 4
    first_key, first_row = np.arange(5 * groups) == 0, np.arange(6)[:, np.newaxis] == 0
    for place, wrong in (
        (1, {"w_k": p.w_k + 1}),
        (1, {"w_k": p.w_k + first_key}),  # of another head, if heads do not share keys
        (3, {"w_o": p.w_o + 1}),
        (3, {"w_o": p.w_o + first_row}),
    ):
        other = replace(trace, projections=replace(p, **wrong))
        assert projections_as_convolutions(other, head=2)[place].difference > 0.1
    without = attend(BUFFER_X, replace(p, w_o=None, b_o=None))
    assert len(projections_as_convolutions(without)) == 3


def test_the_output_is_a_convolution_beside_what_is_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(window_convolution, "tolerance", lambda *_: 1e-12)
    p = Projections.random(11, 3, d_k=5, d_v=2, bias=True)
    trace = attend(BUFFER_X, p, residual=True)
    *_, output = projections_as_convolutions(trace, head=1)
    assert output.difference is None


class Workplace:
    """Builds both designs as they are told, step by step, and counts what it does."""

    def __init__(self) -> None:
        self.objects = self.calls = self.copied = 0
        self.tally: Counter[str] = Counter()

    def product(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """A matrix product of one head or of all, counted number by number."""
        self.calls += 1
        np.matmul(counted(left, self.tally), counted(right, self.tally))
        return np.matmul(left, right)

    def layer(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        self.objects += 1
        return self.product(x, weights)

    def attention(
        self, x: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray, heads: int, kv: int
    ) -> np.ndarray:
        """One attention object with one head or more. Shapes: -> (heads, T, V)."""

        def cut(fused: np.ndarray, n: int) -> np.ndarray:
            parts = np.stack(np.split(fused, n, axis=1))
            return parts.repeat(heads // n, axis=0)

        query, key, value = (
            cut(self.layer(x, w), n) for w, n in ((w_q, heads), (w_k, kv), (w_v, kv))
        )
        self.objects += 1  # the coefficients
        scores = self.product(query, key.swapaxes(1, 2))
        self.calls += 1  # the division
        self.tally["multiplications"] += scores.size
        scores = scores / np.sqrt(query.shape[2])
        self.calls += 1  # the softmax
        exponentials = np.exp(scores)
        shares = exponentials / exponentials.sum(axis=2, keepdims=True)
        self.objects += 1  # the result
        return self.product(shares, value)


@pytest.mark.parametrize(
    ("n_heads", "groups", "d_v", "has_output", "compared"),
    [
        (1, 1, 2, True, ("as many", "as many", "as many", "as many")),
        (2, 2, 4, True, ("more", "more", "more", "as many")),
        (6, 2, 2, True, ("more", "more", "more", "more")),
        (3, 3, 2, False, ("more", "more", "more", "as many")),
    ],
)
def test_both_designs_are_counted_right(
    n_heads: int, groups: int, d_v: int, has_output: bool, compared: tuple[str, ...]
) -> None:
    p = Projections.random(D, n_heads, d_k=K, d_v=d_v, n_kv_heads=groups)
    p = p if has_output else replace(p, w_o=None)
    trace = attend(X, p)
    naive, book = Workplace(), Workplace()
    parts = []
    for head in range(n_heads):
        group = head * groups // n_heads
        queries, keys = slice(head * K, head * K + K), slice(group * K, group * K + K)
        values = slice(group * d_v, group * d_v + d_v)
        matrices = p.w_q[:, queries], p.w_k[:, keys], p.w_v[:, values]
        parts.append(naive.attention(X, *matrices, 1, 1)[0])
    joined = parts[0]
    if n_heads > 1:
        naive.objects, naive.calls = naive.objects + 1, naive.calls + 1
        joined = np.empty((T, n_heads * d_v))
        for head, part in enumerate(parts):
            joined[:, head * d_v : (head + 1) * d_v] = part
            naive.copied += part.size
    together = book.attention(X, p.w_q, p.w_k, p.w_v, n_heads, groups)
    outputs = []
    for place, merged in ((naive, joined), (book, np.hstack(list(together)))):
        outputs.append(place.layer(merged, p.w_o) if has_output else merged)
    for output in outputs:
        assert_same(output, trace.output[0])
    designs = count_designs(trace)
    for place, design in ((naive, designs.separate), (book, designs.together)):
        found = (place.objects, place.calls, place.copied, place.tally["multiplications"])
        counts = (design.objects, design.calls, design.copied, design.multiplications)
        assert counts == found
    names = ("objects", "calls", "copied", "multiplications")
    assert tuple(map(designs.compared, names)) == compared


def test_counts_compare() -> None:
    assert [compare_counts(one, 7) for one in (0, 6, 7, 8)] == ["fewer", "fewer", "as many", "more"]
