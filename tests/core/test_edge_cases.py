"""Inputs at the edge of what is allowed: one of everything, lists, dtypes, memory layouts,
masks of every rank.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from attention_core import (
    STEPS,
    Projections,
    SettingsError,
    Trace,
    attend,
    causal_mask,
    scaled_dot_product_attention,
    softmax,
)

B, T, S, D, M, H, K, V = 2, 3, 5, 7, 11, 2, 13, 17
RNG = np.random.default_rng(1)
X, MEMORY = RNG.normal(size=(B, T, D)), RNG.normal(size=(B, S, M))
P = Projections.random(D, H, d_k=K, d_v=V, d_memory=M, bias=True)
MASK = RNG.random((B, H, T, S)) < 0.7
# Each axis of a mask is as long as that of the scores or 1; leading axes may be missing.
RANKS = [
    (),
    *(shape for rank in range(1, 5) for shape in product(*((1, n) for n in (B, H, T, S)[-rank:]))),
]
LAYOUTS: dict[str, Any] = {
    "Fortran order": np.asfortranarray,
    "every second of a longer array": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "reversed twice": lambda a: a[..., ::-1].copy()[..., ::-1],
    "transposed twice": lambda a: a.T.copy().T,
    "other byte order": lambda a: a.astype(">f8"),
    "list": lambda a: a.tolist(),
    "matrix of a subclass": lambda a: a.view(np.ma.MaskedArray),
}


def assert_equal_traces(one: Trace, other: Trace) -> None:
    """Every field is the same up to the rounding of another memory layout."""
    for name in STEPS:
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=0, atol=1e-14, err_msg=name
        )


def test_one_of_everything() -> None:
    """One token, one head, one feature: the only key gets all the attention, and 3 · 2 · 5 = 30
    comes out.
    """
    trace = attend([[3.0]], Projections([[1]], [[1]], [[2]], [[5]], n_heads=1))
    assert [
        getattr(trace, name).item() for name in ("scores", "probabilities", "values", "output")
    ] == [9, 1, 6, 30]


def test_one_query_many_keys_and_many_queries_one_key() -> None:
    """The numbers of queries and keys are free of each other; a single key gets probability 1
    from everyone.
    """
    one_query = attend(X[:, :1], P, memory=MEMORY)
    assert one_query.probabilities.shape == (B, H, 1, S)
    one_key = attend(X, P, memory=MEMORY[:, :1])
    assert (one_key.probabilities == 1).all()
    assert one_key.output.shape == (B, T, D)


def test_two_axes_are_a_batch_of_one() -> None:
    """x and memory without a batch axis give a record with a batch of one."""
    assert_equal_traces(attend(X[0], P, memory=MEMORY[0]), attend(X[:1], P, memory=MEMORY[:1]))


@pytest.mark.parametrize("shape", RANKS, ids=str)
def test_masks_and_biases_of_every_rank(shape: tuple[int, ...]) -> None:
    """A mask or bias of any shape that broadcasts to (B, H, T, S) means its broadcast form."""
    mask = MASK[tuple(slice(n) for n in (1,) * (4 - len(shape)) + shape)].reshape(shape)
    full = np.broadcast_to(mask, MASK.shape)
    assert_equal_traces(
        attend(X, P, memory=MEMORY, mask=mask), attend(X, P, memory=MEMORY, mask=full)
    )
    by_bias = attend(X, P, memory=MEMORY, bias=np.where(mask, 0.5, -np.inf))
    assert_equal_traces(by_bias, attend(X, P, memory=MEMORY, bias=np.where(full, 0.5, -np.inf)))
    assert (by_bias.probabilities[~full] == 0).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_in_memory_does_not_matter(layout: str) -> None:
    """Lists, Fortran order, views with steps and another byte order give the numbers of plain
    arrays.
    """
    form = LAYOUTS[layout]
    names = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
    p = Projections(**{name: form(getattr(P, name)) for name in names}, n_heads=H)
    bias = np.where(MASK, 1.0, -np.inf)
    trace = attend(form(X), p, memory=form(MEMORY), bias=form(bias))
    assert_equal_traces(trace, attend(X, P, memory=MEMORY, bias=bias))
    assert all(type(getattr(trace, name)) is np.ndarray for name in STEPS)


def test_read_only_inputs() -> None:
    """Arrays that may not be written to are read and left as they are."""
    x, mask = X.copy(), MASK.copy()
    x.setflags(write=False)
    mask.setflags(write=False)
    assert_equal_traces(
        attend(x, P, memory=MEMORY, mask=mask), attend(X, P, memory=MEMORY, mask=MASK)
    )


class Unreadable:
    """Stands for a tensor that does not let NumPy read it."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise self.error


@pytest.mark.parametrize(
    "error", [RuntimeError("requires grad"), TypeError("unsupported ScalarType BFloat16")]
)
def test_tensors_that_numpy_cannot_read(error: Exception) -> None:
    """PyTorch's own words for tensors with a gradient, of bfloat16 or sparse ones name no
    argument; ours do.
    """
    for call in (lambda: attend(Unreadable(error), P), lambda: softmax(Unreadable(error))):
        with pytest.raises(
            SettingsError, match=r"^(x|scores) .* this Unreadable; .*detach.*\.float"
        ) as caught:
            call()
        assert caught.value.__cause__ is error


def test_masked_cells_are_refused() -> None:
    """An array of which some cells are masked would be read with the numbers below the mask."""
    masked = np.ma.masked_greater(X[0], 0)
    hiding = np.ma.masked_equal(np.zeros(S), 0)
    for call in (lambda: attend(masked, P), lambda: attend(X, P, memory=MEMORY, bias=hiding)):
        with pytest.raises(
            SettingsError, match="masked cells, which would count as numbers: fill it first"
        ):
            call()
    filled = attend(masked.filled(0), P, memory=MEMORY[0])
    assert_equal_traces(filled, attend(np.minimum(X[0], 0), P, memory=MEMORY[0]))


@pytest.mark.parametrize(
    "dtype", ["int8", "int64", "uint8", "bool", "float16", "longdouble", "float64"]
)
def test_other_numbers_become_float64(dtype: str) -> None:
    """Integers, bools, half and extended precision are computed in float64, exactly as if they
    had been float64.
    """
    whole = np.array([[1, 0, 3], [0, 1, 2]]).astype(dtype)
    trace = attend(whole, Projections.weightless(3).astype("float32"))
    assert_equal_traces(trace, attend(whole.astype(float), Projections.weightless(3)))
    assert {getattr(trace, name).dtype for name in STEPS} == {np.dtype("float64")}


@pytest.mark.parametrize(
    ("x", "memory", "weights", "result"),
    [
        ("float32", "float32", "float32", "float32"),
        ("float64", "float32", "float32", "float64"),
        ("float32", "float64", "float32", "float64"),
        ("float32", "float32", "float64", "float64"),
        ("int64", "float32", "float32", "float64"),
    ],
)
def test_float32_only_when_everything_is_float32(
    x: str, memory: str, weights: str, result: str
) -> None:
    """One double among x, memory and weights makes the whole computation double."""
    trace = attend(
        X.astype(x), P.astype(weights), memory=MEMORY.astype(memory), bias=np.zeros(S), softcap=3
    )
    assert {getattr(trace, name).dtype for name in STEPS} == {np.dtype(result)}
    heads = [
        array.astype(result) for array in (trace.query_heads, trace.key_heads, trace.value_heads)
    ]
    assert scaled_dot_product_attention(*heads, mask=MASK).head_outputs.dtype == result


@pytest.mark.parametrize(
    "shape",
    [(1, 1, 700, 250), (2, 2, 300, 330), (5, 3, 40, 1000), (7, 3, 10, 1000), (1, 1, 3, 140_000)],
    ids=str,
)
def test_long_sequences(shape: tuple[int, int, int, int]) -> None:
    """However many scores there are, in whatever portions they are computed, each one follows
    the formulas.
    """
    n_batch, n_heads, n_queries, n_keys = shape
    rng = np.random.default_rng(n_keys)
    query, key = (
        rng.normal(size=(n_batch, n_heads, n_queries, 2)),
        rng.normal(size=(n_batch, n_heads, n_keys, 2)),
    )
    mask, bias = (
        rng.random((n_batch, 1, n_queries, n_keys)) < 0.5,
        rng.normal(size=(n_heads, 1, n_keys)),
    )
    record = scaled_dot_product_attention(query, key, key, mask=mask, bias=bias, softcap=2.0)
    scores = query @ key.swapaxes(-1, -2)
    scaled = 2 * np.tanh(scores / np.sqrt(2) / 2)
    masked = np.where(mask, scaled + bias, -np.inf)
    weights = np.exp(masked)
    shares = weights / weights.sum(axis=-1, keepdims=True)
    expected = {
        "scores": scores,
        "scaled_scores": scaled,
        "masked_scores": masked,
        "probabilities": shares,
    }
    for name, array in (expected | {"head_outputs": shares @ key}).items():
        np.testing.assert_allclose(
            getattr(record, name), array, rtol=1e-10, atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("causal", [False, True])
def test_more_scores_than_there_is_room_for(causal: bool) -> None:
    """One limit, with and without a causal mask, is refused with the sizes before anything of
    that size is made.
    """
    x, heads = np.zeros((3, 30_000, 1)), np.zeros((3, 1, 30_000, 1))
    sentence = (
        "batch 3 × heads 1 × queries 30000 × keys 30000 are more than the 2,147,483,648 numbers"
        " there is"
    )
    for call in (
        lambda: attend(x, Projections.weightless(1), causal=causal),
        lambda: scaled_dot_product_attention(heads, heads, heads, causal=causal),
    ):
        with pytest.raises(SettingsError, match=sentence):
            call()
    assert causal_mask(2, 2**26).sum() == 3  # 134 million cells, which a layer may have


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [1e-30, 1, 60, 63.99, 64.01, 88, 89, 103, 700, 710, 1e4, 1e15])
@pytest.mark.parametrize("masked", [False, True])
def test_shares_at_every_size_of_score(size: float, dtype: str, masked: bool) -> None:
    """A row's shares depend on the differences of its scores only, also where exp of a score
    leaves its range.
    """
    query = np.full((1, 1, 1, 1), size, dtype)
    for sign in (1, -1):
        key = np.array([1, 1 - 0.5 / max(size, 1), 0, -1], dtype).reshape(1, 1, 4, 1) * sign
        mask = np.array([True, True, True, not masked])
        scores = (query * key).astype(np.float64).ravel()
        weights = np.where(mask, np.exp(np.clip(scores - scores[mask].max(), -745, 0)), 0)
        record = scaled_dot_product_attention(
            query, key, key, scale=1, mask=mask if masked else None
        )
        np.testing.assert_allclose(
            record.probabilities.ravel(),
            weights / weights.sum(),
            rtol=0,
            atol=2e-5 if dtype == "float32" else 1e-12,
        )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_scores_beyond_exp(dtype: str) -> None:
    """Where exp(score) itself would overflow, the larger score simply gets all the attention;
    no warning.
    """
    trace = attend(np.array([[1e4], [-1e4]], dtype), Projections.weightless(1).astype(dtype))
    assert trace.probabilities[0, 0].tolist() == [[1, 0], [0, 1]]
    assert trace.output[0].tolist() == [[1e4], [-1e4]]


@pytest.mark.parametrize(("dtype", "large"), [("float32", 3e38), ("float64", 1.7e308)])
def test_shares_of_the_largest_scores(dtype: str, large: float) -> None:
    """The smallest score minus the largest may be infinite; the share is 0 all the same,
    without a warning.
    """
    assert softmax(np.array([large, -large, large], dtype)).tolist() == [0.5, 0, 0.5]


def test_large_negative_biases_are_no_mask() -> None:
    """-1e9 everywhere is an honest bias: it cancels within the row; only -inf hides."""
    biased = attend(X, P, memory=MEMORY, bias=np.full((T, S), -1e9))
    np.testing.assert_allclose(
        biased.probabilities, attend(X, P, memory=MEMORY).probabilities, rtol=0, atol=1e-6
    )
    assert not biased.empty_rows.any()
    lowest = attend(X, P, memory=MEMORY, bias=np.full((T, S), np.finfo(np.float64).min))
    np.testing.assert_allclose(lowest.probabilities, 1 / S)


@pytest.mark.parametrize("bias", [[[1e300]], [[-1e300]], [[3.4e38]]])
def test_a_bias_too_large_for_float32_is_refused(bias: list[list[float]]) -> None:
    """A finite bias never turns into an infinity in silence: beyond the range of float32 it is
    refused.
    """
    one = np.full((1, 1), 1e19, np.float32)
    with pytest.raises(SettingsError, match="float32"):
        attend(one, Projections.weightless(1).astype("float32"), bias=bias)


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is float64 here"
)
@pytest.mark.parametrize("score", ["1e4000", "-1e4000"])
def test_scores_too_large_for_float64_are_refused(score: str) -> None:
    """A score of long double beyond float64 becomes neither NaN nor a hidden key; smaller ones,
    and -inf, are taken.
    """
    with pytest.raises(SettingsError, match="beyond the range of float64"):
        softmax(np.array([np.longdouble(score), 0]))
    assert softmax(np.array([0, 0, -np.inf], np.longdouble)).tolist() == [0.5, 0.5, 0]
