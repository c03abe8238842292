"""The sentence of every error about weights: it names the matrix or setting, what was expected
and what arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError, Projections, SettingsError, ShapeError

X = np.ones((3, 4))
NAN = np.where(np.eye(4) == 1, np.nan, 0.0)
RAGGED = [[1.0, 2.0], [3.0]]
Case = tuple[Callable[[], Any], type[AttentionError], str]


def weights(**changes: Any) -> Projections:
    """A layer of width 4 with two heads of width 2, in which some arguments are changed."""
    matrices = {name: np.ones((4, 4)) for name in ("w_q", "w_k", "w_v", "w_o")}
    return Projections(**(matrices | {"n_heads": 2} | changes))


WEIGHTS: dict[str, Case] = {
    "nan": (
        lambda: weights(w_v=NAN),
        SettingsError,
        "w_v holds nan at [0, 0]; every number must be finite: replace it",
    ),
    "infinite bias": (
        lambda: weights(b_k=[0, np.inf, 0, 0]),
        SettingsError,
        "b_k holds inf at [1]; every number must be finite: replace it",
    ),
    "no matrix": (
        lambda: weights(w_q=np.ones(4)),
        ShapeError,
        "w_q must be a matrix of shape (features in, features out), but has (4,)",
    ),
    "empty matrix": (
        lambda: weights(w_o=np.ones((4, 0))),
        ShapeError,
        "w_o must be a matrix of shape (features in, features out), but has (4, 0)",
    ),
    "columns": (
        lambda: weights(w_q=np.ones((4, 5))),
        ShapeError,
        "w_q has 5 columns but its 2 heads need a multiple of 2",
    ),
    "columns of shared heads": (
        lambda: weights(n_heads=4, n_kv_heads=2, w_k=np.ones((4, 3))),
        ShapeError,
        "w_k has 3 columns but its 2 heads need a multiple of 2",
    ),
    "query and key": (
        lambda: weights(w_k=np.ones((4, 6))),
        ShapeError,
        "a query has width 2 but a key has width 3; make w_q and w_k agree",
    ),
    "key and value": (
        lambda: weights(w_v=np.ones((5, 4))),
        ShapeError,
        "w_k reads 4 features but w_v reads 5; both read the memory",
    ),
    "rows of w_o": (
        lambda: weights(w_o=np.ones((6, 4))),
        ShapeError,
        "w_o has 6 rows but must have n_heads * d_v = 4",
    ),
    "uneven sharing": (
        lambda: weights(n_kv_heads=3),
        SettingsError,
        "2 query heads cannot share 3 key/value heads evenly; choose a divisor",
    ),
    "width of a bias": (
        lambda: weights(b_o=np.ones(3)),
        ShapeError,
        "b_o must have shape (4,) like the columns of w_o: (3,)",
    ),
    "no heads": (lambda: weights(n_heads=0), SettingsError, "n_heads is 0 but must be at least 1"),
    "half a head": (
        lambda: weights(n_heads=2.0),
        SettingsError,
        "n_heads is 2.0 but must be a whole number",
    ),
    "text": (
        lambda: weights(w_q="abc"),
        SettingsError,
        "w_q must hold real numbers, but holds <U3; convert it first",
    ),
    "ragged": (
        lambda: weights(w_k=RAGGED),
        ShapeError,
        "w_k must be a rectangular array of numbers, but its rows differ in length",
    ),
    "indivisible": (
        lambda: Projections.random(64, 5),
        SettingsError,
        "n_heads is 5 but must divide d_model 64: try 4 or 8, or give d_k (and d_v)",
    ),
    "indivisible, tied": (
        lambda: Projections.tied(64, 40),
        SettingsError,
        "n_heads is 40 but must divide d_model 64: try 32 or 64, or give d_k (and d_v)",
    ),
    "indivisible, orthonormal": (
        lambda: Projections.stiefel(6, 4),
        SettingsError,
        "n_heads is 4 but must divide d_model 6: try 3 or 6, or give d_k (and d_v)",
    ),
    "more heads than features": (
        lambda: Projections.weightless(4, 9),
        SettingsError,
        "n_heads is 9 but must divide d_model 4: try 4",
    ),
    "no width": (
        lambda: Projections.random(4, 2, d_k=0),
        SettingsError,
        "d_k is 0 but must be at least 1",
    ),
    "half a feature": (
        lambda: Projections.random(4, 2, d_v=1.5),
        SettingsError,
        "d_v is 1.5 but must be a whole number",
    ),
    "negative seed": (
        lambda: Projections.random(4, 2, seed=-1),
        SettingsError,
        "seed is -1 but must be from 0 to 18446744073709551615",
    ),
    "large seed": (
        lambda: Projections.stiefel(4, 2, seed=2**64),
        SettingsError,
        "seed is 18446744073709551616 but must be from 0 to 18446744073709551615",
    ),
    "seed of text": (
        lambda: Projections.tied(4, 2, seed="1"),
        SettingsError,
        "seed is '1' but must be a whole number",
    ),
    "initialisation": (
        lambda: Projections.random(4, 2, init="zeros"),
        SettingsError,
        "init is 'zeros' but must be one of xavier, normal, small, orthogonal, integers",
    ),
    "too wide for orthonormal": (
        lambda: Projections.stiefel(4, 2, d_k=5),
        SettingsError,
        "5 orthonormal columns do not fit into 4 dimensions: choose d_k and d_v up to 4",
    ),
    "heads of different width": (
        lambda: Projections.from_heads([(X, X, X), (X, X, X.T)]),
        ShapeError,
        "w_v must be a matrix of the same shape in every head, but has shapes (3, 4), (4, 3)",
    ),
    "two matrices for a head": (
        lambda: Projections.from_heads([(X, X)]),
        ShapeError,
        "heads must hold one (w_q, w_k, w_v) for each head, and at least one head",
    ),
    "no head": (
        lambda: Projections.from_heads([]),
        ShapeError,
        "heads must hold one (w_q, w_k, w_v) for each head, and at least one head",
    ),
    "nan in a head": (
        lambda: Projections.from_heads([(X, X, X), (X, NAN, X)]),
        SettingsError,
        "head 1 holds nan at [0, 0]; every number must be finite: replace it",
    ),
}


NONSENSE: dict[str, Case] = {
    "no matrix": (lambda: weights(w_q=None), AttentionError, "w_q must "),
    "no heads": (
        lambda: weights(n_heads=None),
        SettingsError,
        "n_heads is None but must be a whole number",
    ),
    "a bool for a count": (
        lambda: weights(n_heads=True),
        SettingsError,
        "n_heads is True but must be a whole number",
    ),
    "a number for a head": (
        lambda: Projections.from_heads([5]),
        AttentionError,
        "heads must hold one (w_q, w_k, w_v)",
    ),
    "an array of one number for a head": (
        lambda: Projections.from_heads([np.array(5.0)]),
        ShapeError,
        "heads must hold one (w_q, w_k, w_v)",
    ),
    "beyond float64": (
        lambda: weights(w_q=np.array([["1e400"]]).astype(np.longdouble)),
        SettingsError,
        "w_q holds inf at [0, 0]; every number must be finite: replace it",
    ),
    "a number for the heads": (
        lambda: Projections.from_heads(3.0),
        SettingsError,
        "heads is 3.0 but must be a list of (w_q, w_k, w_v)",
    ),
    "nothing for the heads": (
        lambda: Projections.from_heads(None),
        SettingsError,
        "heads is None but must be a list",
    ),
    "an array without axes": (
        lambda: Projections.from_heads(np.array(1.0)),
        SettingsError,
        "heads is array(1.) but",
    ),
    "a word for a switch": (
        lambda: Projections.random(4, 2, bias="no"),
        SettingsError,
        "bias is 'no' but must be True or False",
    ),
    "biases for a switch": (
        lambda: Projections.random(4, 2, bias=np.ones(4)),
        SettingsError,
        "bias is array([1., 1., 1., 1.]) but must be True or False",
    ),
    "number type of another name": (
        lambda: weights().astype("nonsense"),
        SettingsError,
        "dtype is 'nonsense' but must be float32 or float64",
    ),
    "no number type": (
        lambda: weights().astype((int, -1)),
        SettingsError,
        "dtype is (<class 'int'>, -1) but must be",
    ),
    "whole numbers": (
        lambda: weights().astype(int),
        SettingsError,
        "dtype is int64 but must be float32 or float64",
    ),
    "initialisation of another type": (
        lambda: Projections.random(4, 2, init=None),
        SettingsError,
        "init is None but",
    ),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_that_are_refused(name: str) -> None:
    """What is wrong with a matrix, a bias, a count or a seed is said in one exact sentence."""
    call, kind, sentence = WEIGHTS[name]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == sentence


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_by_name(name: str) -> None:
    """A value of the wrong type is answered by the engine and named, not by an error from
    inside NumPy.
    """
    call, kind, start = NONSENSE[name]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(start)


def test_heads_may_come_one_by_one() -> None:
    """A generator is as good as a list, and an error of its own is not mistaken for that of its
    type.
    """
    assert Projections.from_heads((X, X, X) for _ in range(2)).n_heads == 2
    with pytest.raises(TypeError, match="unsupported operand"):
        Projections.from_heads((X, X, X + None) for _ in range(2))
