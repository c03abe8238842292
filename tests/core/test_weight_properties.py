"""What is true of the ways to make weights: tied, orthonormal, none at all, and what a seed
decides.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import Projections, attend, softmax
from attention_core.initialisation import INITIALISATIONS, Stream, generator
from attention_core.numbers import all_finite
from tests.core.random_layers import Layer, assert_same, layers

SIZE = st.integers(1, 5)
SEED = st.integers(0, 2**64 - 1)
MATRICES = ("w_q", "w_k", "w_v", "w_o")
# The random streams in the order of their numbers, which stand behind URLs.
STREAMS = (
    "W_Q W_K W_V W_O B_Q B_K B_V B_O BASES CHANGES SPREADS DROPOUT PROBES PADDING TIMED_HEADS"
    " TOKENS LENGTHS MEASURED_TOKENS MEASURED_WEIGHTS QUESTIONS SEQUENCES FEED_FORWARD"
)


def tokens(n_tokens: int, d_model: int) -> np.ndarray:
    """Any vectors."""
    return np.random.default_rng(n_tokens).normal(size=(n_tokens, d_model))


@given(SIZE, SIZE, SIZE, SIZE, SEED)
def test_tied_weights_give_symmetric_scores(
    n_tokens: int, d_model: int, n_heads: int, d_k: int, seed: int
) -> None:
    tied = Projections.tied(d_model, n_heads, d_k=d_k, seed=seed)
    free = Projections.random(d_model, n_heads, d_k=d_k, seed=seed)
    scores = attend(tokens(n_tokens, d_model), tied).scores
    assert_same(scores, scores.swapaxes(-1, -2))
    assert (tied.w_k == tied.w_q).all()
    assert all((getattr(tied, name) == getattr(free, name)).all() for name in ("w_q", "w_v", "w_o"))


@given(SIZE, SIZE, SIZE)
def test_weightless_attention_has_q_k_v_equal_to_x(n_tokens: int, width: int, n_heads: int) -> None:
    x = tokens(n_tokens, n_heads * width)
    trace = attend(x, Projections.weightless(n_heads * width, n_heads))
    assert all((fused[0] == x).all() for fused in (trace.queries, trace.keys, trace.values))
    blocks = np.split(x, n_heads, axis=1)
    assert_same(trace.output[0], np.hstack([softmax(b @ b.T / np.sqrt(width)) @ b for b in blocks]))


@given(SIZE, SIZE, st.data())
def test_orthonormal_weights(d_model: int, n_heads: int, data: st.DataObject) -> None:
    d_k, d_v = data.draw(st.integers(1, d_model)), data.draw(st.integers(1, d_model))
    p = Projections.stiefel(d_model, n_heads, d_k=d_k, d_v=d_v, seed=data.draw(SEED))
    assert p.w_o.shape == (n_heads * d_v, d_model)
    for name in ("w_q", "w_k", "w_v"):
        heads = np.split(getattr(p, name), n_heads, axis=1)
        for block in heads:
            assert_same(block.T @ block, np.eye(block.shape[1]))
        if d_model > 1 and n_heads > 1:
            assert not np.allclose(heads[0], heads[1])
    tall = p.w_o if len(p.w_o) >= d_model else p.w_o.T
    assert_same(tall.T @ tall, np.eye(tall.shape[1]))


@given(SEED, st.sampled_from(sorted(INITIALISATIONS)))
def test_a_seed_decides_every_number(seed: int, init: str) -> None:
    first, again, other = (
        Projections.random(6, 2, seed=s, init=init, bias=True) for s in (seed, seed, seed ^ 1)
    )
    for name in (*MATRICES, "b_q", "b_k", "b_v", "b_o"):
        assert (getattr(first, name) == getattr(again, name)).all()
        assert not (getattr(first, name) == getattr(other, name)).all()
    assert len({getattr(first, name).tobytes() for name in MATRICES}) == len(MATRICES)
    assert not (first.w_q[:, :3] == first.w_q[:, 3:]).all()


def test_a_stream_keeps_its_number() -> None:
    """Another number would draw other weights for a URL that is already in somebody's notes."""
    assert " ".join(Stream.__members__) == STREAMS
    assert [*Stream] == [*range(15), *range(16, 21), 22, 23]


@given(SEED)
def test_streams_differ(seed: int) -> None:
    first = [int(generator(seed, stream).bit_generator.random_raw()) for stream in Stream]
    assert len(set(first)) == len(Stream)
    assert first[0] == int(np.random.default_rng(seed).bit_generator.random_raw())


@given(SEED)
def test_resizing_one_matrix_leaves_the_others_alone(seed: int) -> None:
    narrow, wide = (Projections.random(6, 2, d_v=d_v, seed=seed) for d_v in (3, 5))
    assert (narrow.w_q == wide.w_q).all()
    assert (narrow.w_k == wide.w_k).all()


@pytest.mark.parametrize(
    ("init", "variance", "largest"),
    [
        ("xavier", 2 / (90 + 60), (6 / 150) ** 0.5),
        ("normal", 1 / 90, np.inf),
        ("small", 0.02**2, np.inf),
        ("integers", 2 / 3, 1),
        ("orthogonal", 1 / 90, 1),
    ],
)
def test_the_size_of_the_initial_weights(init: str, variance: float, largest: float) -> None:
    w_q = Projections.random(90, 12, d_k=5, init=init).w_q
    assert w_q.shape == (90, 60)
    assert abs(w_q.mean()) < 0.1 * variance**0.5
    assert w_q.var() == pytest.approx(variance, rel=0.06)
    assert np.abs(w_q).max() <= largest + 1e-12


@pytest.mark.parametrize(
    ("arguments", "widths"),
    [
        ({"d_model": 12, "n_heads": 3}, (4, 4)),
        ({"d_model": 12, "n_heads": 3, "d_k": 5}, (5, 4)),
        ({"d_model": 12, "n_heads": 3, "d_v": 7}, (4, 7)),
        ({"d_model": 12, "n_heads": 5, "d_k": 7}, (7, 7)),
        ({"d_model": 12, "n_heads": 5, "d_v": 7}, (7, 7)),
        ({"d_model": 12, "n_heads": 5, "d_k": 3, "d_v": 7}, (3, 7)),
    ],
)
def test_the_widths_of_a_head(arguments: dict[str, int], widths: tuple[int, int]) -> None:
    for make in (Projections.random, Projections.tied, Projections.stiefel):
        p = make(**arguments)
        assert (p.d_k, p.d_v) == widths
        assert p.d_model == p.d_memory == p.d_out == 12


@given(layers(grouped=False))
def test_heads_given_one_by_one_are_laid_side_by_side(layer: Layer) -> None:
    p = layer.projections
    blocks = (np.split(matrix, p.n_heads, axis=1) for matrix in (p.w_q, p.w_k, p.w_v))
    built = Projections.from_heads(zip(*blocks, strict=True), p.w_o)
    assert all((getattr(built, name) == getattr(p, name)).all() for name in MATRICES)


def test_the_sizes_of_shared_heads_and_another_memory() -> None:
    p = Projections.random(12, 6, d_k=5, d_v=7, d_memory=11, n_kv_heads=2, bias=True)
    assert [getattr(p, name).shape for name in MATRICES] == [(12, 30), (11, 10), (11, 14), (42, 12)]
    assert [p.b_q.shape, p.b_k.shape, p.b_v.shape, p.b_o.shape] == [(30,), (10,), (14,), (12,)]
    assert (p.d_k, p.d_v, p.d_memory, p.d_out, p.groups) == (5, 7, 11, 12, 2)


def test_another_type_takes_the_memory_of_its_own_weights_alone() -> None:
    """Weights in another type are written once; a second copy of a large layer would take half
    a gigabyte.
    """
    p = Projections(*np.ones((4, 512, 512), np.float32), n_heads=8, b_q=np.ones(512, np.float32))
    tracemalloc.start()
    double = p.astype(np.float64)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.2 * 4 * double.w_q.nbytes
    assert (double.n_heads, double.dtype, p.dtype) == (8, np.float64, np.float32)
    assert not any(getattr(double, name).flags.writeable for name in (*MATRICES, "b_q"))


def test_transposed_weights_are_checked_without_a_copy() -> None:
    matrix = np.ones((512, 512), np.float32)
    tracemalloc.start()
    try:
        assert all_finite(matrix.T)
        assert tracemalloc.get_traced_memory()[1] < matrix.nbytes / 2
    finally:
        tracemalloc.stop()
    matrix[3, 5] = np.inf
    assert not all_finite(matrix.T)


def test_weights_are_copied_and_read_only() -> None:
    w_q = np.eye(2)
    p = Projections(w_q, w_q, w_q, n_heads=1)
    w_q[0, 0] = 7
    assert p.w_q[0, 0] == p.w_k[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        p.w_q[0, 0] = 7
