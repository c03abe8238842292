"""Own matrices of sizes that differ, and how they are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import Projections, Trace, attend
from attention_lab.files.file_checks import MAX_VALUE
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_lab.user_data.user_matrices import UserMatrices

T, D, H, K, V = 5, 7, 2, 11, 13
MATRICES = {"x": (T, D), "w_q": (D, H * K), "w_k": (D, H * K), "w_v": (D, H * V), "w_o": (H * V, D)}
BIASES = {"b_q": (H * K,), "b_k": (H * K,), "b_v": (H * V,), "b_o": (D,)}
OPTIONS = {"g_q": (K,), "g_k": (K,), "sinks": (H,)}
SHAPES: dict[str, tuple[int, ...]] = {**MATRICES, **BIASES, **OPTIONS}
NUMBERS = st.floats(-MAX_VALUE, MAX_VALUE)


def some(*names: str, seed: int = 0) -> UserMatrices:
    """Own matrices and biases of the sizes above; all nine unless some are named."""
    rng = np.random.default_rng(seed)
    given: dict[str, Any] = {name: rng.normal(size=SHAPES[name]) for name in names or SHAPES}
    return UserMatrices(**given)


def a_trace(projections: Projections | None = None) -> Trace:
    """A layer of the sizes above."""
    x = np.random.default_rng(1).normal(size=(T, D))
    return attend(x, projections or Projections.random(D, H, d_k=K, d_v=V, bias=True)).labelled(
        ("a", "b", "c", "d", "e")
    )


def assert_identical(first: UserMatrices, second: UserMatrices) -> None:
    """The same matrices, to the last bit."""
    assert list(first.arrays) == list(second.arrays)
    for name, matrix in first.arrays.items():
        other = second.arrays[name]
        assert (matrix.shape, matrix.tobytes()) == (other.shape, other.tobytes())


@st.composite
def any_matrices(draw: st.DrawFn, least: int = 0) -> UserMatrices:
    """Any of the nine, at least `least`, with any finite numbers and two to four columns."""
    names = draw(st.sets(st.sampled_from(sorted(ALL_SYMBOLS)), min_size=least))
    matrix, bias = st.tuples(st.integers(1, 4), st.integers(2, 4)), st.tuples(st.integers(2, 4))
    shapes = {name: draw(bias if name in BIASES else matrix) for name in sorted(names)}
    given: dict[str, Any] = {
        name: draw(arrays(np.float64, shape, elements=NUMBERS)) for name, shape in shapes.items()
    }
    return UserMatrices(**given)
