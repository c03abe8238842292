"""Every error about weights names the matrix or setting, what arrived and what was expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, SettingsError, ShapeError
from tests.core.refusing import Refusal, assert_refused

X = np.ones((3, 4))
NAN = np.where(np.eye(4) == 1, np.nan, 0.0)
RAGGED = [[1.0, 2.0], [3.0]]


def weights(**changes: Any) -> Projections:
    """A layer of width 4 with two heads of width 2, in which some arguments are changed."""
    matrices = {name: np.ones((4, 4)) for name in ("w_q", "w_k", "w_v", "w_o")}
    return Projections(**(matrices | {"n_heads": 2} | changes))


SHAPES: list[Refusal] = [
    ("w_q | (features in, features out) | (4,)", lambda: weights(w_q=np.ones(4))),
    ("w_o | (features in, features out) | (4, 0)", lambda: weights(w_o=np.ones((4, 0)))),
    ("w_q | 5 columns | 2 heads", lambda: weights(w_q=np.ones((4, 5)))),
    ("w_k | 3 columns | 2 heads", lambda: weights(n_heads=4, n_kv_heads=2, w_k=np.ones((4, 3)))),
    ("query | 2 | key | 3 | w_q | w_k", lambda: weights(w_k=np.ones((4, 6)))),
    ("w_k | 4 | w_v | 5", lambda: weights(w_v=np.ones((5, 4)))),
    ("w_o | 6 rows | n_heads * d_v = 4", lambda: weights(w_o=np.ones((6, 4)))),
    ("b_o | (4,) | w_o | (3,)", lambda: weights(b_o=np.ones(3))),
    ("w_k | rectangular", lambda: weights(w_k=RAGGED)),
    ("w_v | (3, 4), (4, 3)", lambda: Projections.from_heads([(X, X, X), (X, X, X.T)])),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([(X, X)])),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([])),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([np.array(5.0)])),
    ("w_q | None", lambda: weights(w_q=None)),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([5])),
]
SETTINGS: list[Refusal] = [
    ("w_v | nan | [0, 0]", lambda: weights(w_v=NAN)),
    ("b_k | inf | [1]", lambda: weights(b_k=[0, np.inf, 0, 0])),
    ("w_q | real numbers | <U3", lambda: weights(w_q="abc")),
    ("w_q | inf | [0, 0]", lambda: weights(w_q=np.array([["1e400"]]).astype(np.longdouble))),
    ("dtype | 'nonsense' | float32 or float64", lambda: weights().astype("nonsense")),
    ("dtype | (<class 'int'>, -1) | float32 or float64", lambda: weights().astype((int, -1))),
    ("dtype | int64 | float32 or float64", lambda: weights().astype(int)),
    ("2 query heads | 3 key/value heads | divisor", lambda: weights(n_kv_heads=3)),
    ("n_heads | 0 | 1", lambda: weights(n_heads=0)),
    ("n_heads | 2.0 | whole number", lambda: weights(n_heads=2.0)),
    ("n_heads | None | whole number", lambda: weights(n_heads=None)),
    ("n_heads | True | whole number", lambda: weights(n_heads=True)),
    ("n_heads | 5 | d_model | 64 | 4 or 8 | d_k", lambda: Projections.random(64, 5)),
    ("n_heads | 40 | 64 | 32 or 64 | d_k", lambda: Projections.tied(64, 40)),
    ("n_heads | 4 | 6 | 3 or 6 | d_k", lambda: Projections.stiefel(6, 4)),
    ("n_heads | 9 | d_model | 4", lambda: Projections.weightless(4, 9)),
    ("d_k | 0 | 1", lambda: Projections.random(4, 2, d_k=0)),
    ("d_v | 1.5 | whole number", lambda: Projections.random(4, 2, d_v=1.5)),
    ("seed | -1 | 0 to 18446744073709551615", lambda: Projections.random(4, 2, seed=-1)),
    (
        "seed | 18446744073709551616 | 0 to 18446744073709551615",
        lambda: Projections.stiefel(4, 2, seed=2**64),
    ),
    ("seed | '1' | whole number", lambda: Projections.tied(4, 2, seed="1")),
    (
        "init | 'zeros' | xavier | normal | small | orthogonal | integers",
        lambda: Projections.random(4, 2, init="zeros"),
    ),
    ("init | None | xavier", lambda: Projections.random(4, 2, init=None)),
    ("bias | 'no' | True or False", lambda: Projections.random(4, 2, bias="no")),
    (
        "bias | array([1., 1., 1., 1.]) | True or False",
        lambda: Projections.random(4, 2, bias=np.ones(4)),
    ),
    ("5 | 4 | d_k and d_v", lambda: Projections.stiefel(4, 2, d_k=5)),
    ("head 1 | nan | [0, 0]", lambda: Projections.from_heads([(X, X, X), (X, NAN, X)])),
    ("heads | 3.0 | (w_q, w_k, w_v)", lambda: Projections.from_heads(3.0)),
    ("heads | None | list", lambda: Projections.from_heads(None)),
    ("heads | array(1.) | list", lambda: Projections.from_heads(np.array(1.0))),
]


@pytest.mark.parametrize(("facts", "call"), SHAPES)
def test_shapes_that_are_refused(facts: str, call: Callable[[], Any]) -> None:
    assert_refused(ShapeError, facts, call)


@pytest.mark.parametrize(("facts", "call"), SETTINGS)
def test_settings_that_are_refused(facts: str, call: Callable[[], Any]) -> None:
    assert_refused(SettingsError, facts, call)


def test_heads_may_come_one_by_one() -> None:
    assert Projections.from_heads((X, X, X) for _ in range(2)).n_heads == 2
    with pytest.raises(TypeError, match="unsupported operand"):
        Projections.from_heads((X, X, X + None) for _ in range(2))
