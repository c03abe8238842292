"""Inputs at the edge of what is allowed: one of everything, lists, dtypes, memory layouts,
masks of every rank.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from attention_core import (
    Projections,
    SettingsError,
    Trace,
    attend,
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
    for name in one.steps:
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=0, atol=1e-14, err_msg=name
        )


def test_one_of_everything() -> None:
    trace = attend([[3.0]], Projections([[1]], [[1]], [[2]], [[5]], n_heads=1))
    assert [
        getattr(trace, name).item() for name in ("scores", "probabilities", "values", "output")
    ] == [9, 1, 6, 30]


def test_two_axes_are_a_batch_of_one() -> None:
    assert_equal_traces(attend(X[0], P, memory=MEMORY[0]), attend(X[:1], P, memory=MEMORY[:1]))


@pytest.mark.parametrize("shape", RANKS, ids=str)
def test_masks_and_biases_of_every_rank(shape: tuple[int, ...]) -> None:
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
    form = LAYOUTS[layout]
    names = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
    p = Projections(**{name: form(getattr(P, name)) for name in names}, n_heads=H)
    bias = np.where(MASK, 1.0, -np.inf)
    trace = attend(form(X), p, memory=form(MEMORY), bias=form(bias))
    assert_equal_traces(trace, attend(X, P, memory=MEMORY, bias=bias))
    assert all(type(getattr(trace, name)) is np.ndarray for name in trace.steps)


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
    for call in (lambda: attend(Unreadable(error), P), lambda: softmax(Unreadable(error))):
        named = r"^(x|scores)\b.*\bUnreadable\b"
        with pytest.raises(SettingsError, match=named) as caught:
            call()
        assert caught.value.__cause__ is error


def test_masked_cells_are_refused() -> None:
    """An array of which some cells are masked would be read with the numbers below the mask."""
    masked = np.ma.masked_greater(X[0], 0)
    hiding = np.ma.masked_equal(np.zeros(S), 0)
    for call in (lambda: attend(masked, P), lambda: attend(X, P, memory=MEMORY, bias=hiding)):
        with pytest.raises(SettingsError, match=r"^(x|bias)\b.*masked cells"):
            call()
    filled = attend(masked.filled(0), P, memory=MEMORY[0])
    assert_equal_traces(filled, attend(np.minimum(X[0], 0), P, memory=MEMORY[0]))


@pytest.mark.parametrize(
    "dtypes",
    [
        *((x, "float32", "float32") for x in ("int8", "uint8", "bool", "float16", "longdouble")),
        *(("float64", "float32", "float32"), ("float32", "float64", "float32")),
        *(("float32", "float32", "float64"), ("float32", "float32", "float32")),
    ],
)
def test_float32_only_when_everything_is_float32(dtypes: tuple[str, str, str]) -> None:
    x, memory, weights = dtypes
    result = "float32" if {*dtypes} == {"float32"} else "float64"
    given = (X > 0).astype(x), P.astype(weights)
    trace = attend(*given, memory=MEMORY.astype(memory), bias=np.zeros(S), softcap=3)
    assert {getattr(trace, name).dtype for name in trace.steps} == {np.dtype(result)}
    assert (trace.inputs == (X > 0)).all()
    heads = (trace.query_heads, trace.key_heads, trace.value_heads)
    assert scaled_dot_product_attention(*heads, mask=MASK).head_outputs.dtype == result


def test_large_negative_biases_are_no_mask() -> None:
    biased = attend(X, P, memory=MEMORY, bias=np.full((T, S), -1e9))
    np.testing.assert_allclose(
        biased.probabilities, attend(X, P, memory=MEMORY).probabilities, rtol=0, atol=1e-6
    )
    assert not biased.empty_rows.any()
    lowest = attend(X, P, memory=MEMORY, bias=np.full((T, S), np.finfo(np.float64).min))
    np.testing.assert_allclose(lowest.probabilities, 1 / S)
