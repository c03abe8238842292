"""Every error names the argument, matrix or setting, what arrived and what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy import ones

from attention_core import (
    AttentionError,
    FileError,
    HeadNorm,
    Projections,
    Rotary,
    SettingsError,
    ShapeError,
    TextError,
    attend,
    merge_heads,
    padding_mask,
    prefix_mask,
    scaled_dot_product_attention,
    softmax,
    split_heads,
    window_mask,
)

# What the sentence names, in words of their own, between bars; and the call that is refused.
Refusal = tuple[str, Callable[[], Any]]

X = ones((3, 4))
P = Projections.random(4, 2)
# Reads a memory of width 5.
CROSS = Projections.random(4, 2, d_memory=5)
# Gives vectors of width 5.
WIDE = Projections(*ones((3, 4, 4)), ones((4, 5)), n_heads=2)
NAN = np.where(np.eye(4) == 1, np.nan, 0.0)
RAGGED = [[1.0, 2.0], [3.0]]
# Heads of one and of two key/value heads.
ONE, TWO = (1, 1, 2, 3), (1, 2, 2, 3)


def layer(x: Any = X, **options: Any) -> Any:
    """Self-attention with the weights P."""
    return attend(x, P, **options)


def put(array: np.ndarray, value: float) -> np.ndarray:
    """The array with one number replaced."""
    changed = np.array(array)
    changed[(1,) * array.ndim] = value
    return changed


def heads(*shapes: tuple[int, ...]) -> Any:
    """`scaled_dot_product_attention` of query, key and value heads of these shapes."""
    return scaled_dot_product_attention(*(ones(shape) for shape in shapes))


def single(size: float, w_k: float = 1.0, w_v: float = 1.0, **options: Any) -> Any:
    """A float32 layer of one token and width 1, on a number of a given size."""
    x, *matrices = (np.full((1, 1), number, np.float32) for number in (size, 1, w_k, w_v))
    return attend(x, Projections(*matrices, n_heads=1), **options)


def weights(**changes: Any) -> Projections:
    """A layer of width 4 with two heads of width 2, in which some arguments are changed."""
    matrices = {name: ones((4, 4)) for name in ("w_q", "w_k", "w_v", "w_o")}
    return Projections(**(matrices | {"n_heads": 2} | changes))


SHAPES: list[Refusal] = [
    ("x | (tokens, features) | (batch, tokens, features) | (4,)", lambda: layer(x=ones(4))),
    ("memory | (batch, tokens | (1, 1, 3, 4)", lambda: layer(memory=ones((1, 1, 3, 4)))),
    ("x | (0, 4)", lambda: layer(x=ones((0, 4)))),
    ("memory | (0, 4)", lambda: layer(memory=ones((0, 4)))),
    ("w_q | 4 | x | 5", lambda: layer(x=ones((3, 5)))),
    ("w_k | 5 | memory | 4", lambda: attend(X, CROSS, memory=X)),
    ("x | 2 | memory | 3", lambda: attend(ones((2, 3, 4)), P, memory=ones((3, 3, 4)))),
    ("x | rectangular", lambda: layer(x=RAGGED)),
    ("mask | (2, 3) | (1, 2, 3, 3)", lambda: layer(mask=ones((2, 3), bool))),
    ("mask | (1, 1, 1, 3, 3) | (1, 2, 3", lambda: layer(mask=ones((1, 1, 1, 3, 3), bool))),
    ("mask | (2, 1, 3, 3) | (1, 2, 3, 3)", lambda: layer(mask=ones((2, 1, 3, 3), bool))),
    ("mask | rectangular", lambda: layer(mask=[[True], [True, False]])),
    ("bias | (4,) | (1, 2, 3, 3)", lambda: layer(bias=ones(4))),
    ("bias | rectangular", lambda: layer(bias=RAGGED)),
    ("query_heads | (batch, heads | (1, 2, 3)", lambda: heads((1, 2, 3), ONE, ONE)),
    ("key_heads | (batch, heads | (1, 1, 0, 3)", lambda: heads(ONE, (1, 1, 0, 3), ONE)),
    ("2, 2, 3", lambda: heads((2, 1, 2, 3), (2, 1, 2, 3), (3, 1, 2, 3))),
    ("query | 4 | key | 3", lambda: heads((1, 1, 2, 4), ONE, ONE)),
    ("keys | (1, 2) | values | (1, 5)", lambda: heads(ONE, ONE, (1, 1, 5, 3))),
    ("3 query heads | 2 key/value heads", lambda: heads((1, 3, 2, 3), TWO, TWO)),
    ("fused | (batch, tokens, features) | (3, 4)", lambda: split_heads(X, 2)),
    ("4 features | 3 heads | divisor", lambda: split_heads(X[None], 3)),
    ("4 features | 0 heads", lambda: split_heads(X[None], 0)),
    ("fused | rectangular", lambda: split_heads([RAGGED], 2)),
    ("heads | (batch, heads, tokens, features) | (1, 3, 4)", lambda: merge_heads(X[None])),
    ("heads | rectangular", lambda: merge_heads([[RAGGED]])),
    ("lengths | rectangular", lambda: padding_mask([[1], [1, 2]], 3)),
    ("query_gain | 3 numbers | 2", lambda: layer(head_norm=HeadNorm([1.0] * 3))),
    ("key_gain | 5 numbers | 2", lambda: layer(head_norm=HeadNorm(1.0, [1.0] * 5))),
    ("sink | (5,)", lambda: layer(sink=[0.0] * 5)),
    ("w_q | (features in, features out) | (4,)", lambda: weights(w_q=ones(4))),
    ("w_o | (features in, features out) | (4, 0)", lambda: weights(w_o=ones((4, 0)))),
    ("w_q | 5 columns | 2 heads", lambda: weights(w_q=ones((4, 5)))),
    ("w_k | 3 columns | 2 heads", lambda: weights(n_heads=4, n_kv_heads=2, w_k=ones((4, 3)))),
    ("query | 2 | key | 3 | w_q | w_k", lambda: weights(w_k=ones((4, 6)))),
    ("w_k | 4 | w_v | 5", lambda: weights(w_v=ones((5, 4)))),
    ("w_o | 6 rows | n_heads * d_v = 4", lambda: weights(w_o=ones((6, 4)))),
    ("b_o | (4,) | w_o | (3,)", lambda: weights(b_o=ones(3))),
    ("w_k | rectangular", lambda: weights(w_k=RAGGED)),
    ("w_v | (3, 4), (4, 3)", lambda: Projections.from_heads([(X, X, X), (X, X, X.T)])),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([(X, X)])),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([])),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([np.array(5.0)])),
    ("w_q | None", lambda: weights(w_q=None)),
    ("heads | (w_q, w_k, w_v)", lambda: Projections.from_heads([5])),
]
SETTINGS: list[Refusal] = [
    ("x | nan | [1, 1]", lambda: layer(x=put(X, np.nan))),
    ("memory | nan | [1, 1]", lambda: layer(memory=put(X, np.nan))),
    ("x | real numbers | <U1", lambda: layer(x=[["a", "b"]])),
    ("x | real numbers | complex128", lambda: layer(x=X + 1j)),
    ("residual | 4 | 5", lambda: attend(X, WIDE, residual=True)),
    ("float32 | float64", lambda: single(1e20)),
    ("beyond the range of float32 | float64", lambda: single(1e5, w_v=1e35)),
    ("beyond the range of float32", lambda: single(1e5, w_v=1e35, empty_rows="nan")),
    # An overflow to minus infinity is no mask.
    ("beyond the range of float32", lambda: single(1e20, w_k=-1)),
    ("beyond the range of float32", lambda: single(1e20, w_k=-1, bias=[[0.0]])),
    ("beyond the range of float32", lambda: single(1.8e19, w_k=-1, bias=[[-3e38]])),
    ("bias | float32", lambda: single(1e19, bias=[[1e300]])),
    ("beyond the range of float32", lambda: single(1e19, bias=[[3.4e38]])),
    ("float64 | smaller", lambda: layer(x=X * 1e200)),
    ("mask | bool | int64 | bias", lambda: layer(mask=ones((3, 3), int))),
    ("bias | -inf | NaN or +inf", lambda: layer(bias=np.full((3, 3), np.nan))),
    ("bias | -inf | NaN or +inf", lambda: layer(bias=np.inf)),
    ("bias | numbers | bool | mask", lambda: layer(bias=ones((3, 3), bool))),
    ("scale | inf | finite | None", lambda: layer(scale=np.inf)),
    ("scale | finite", lambda: layer(scale=10**400)),
    ("scale | '1' | finite | None", lambda: layer(scale="1")),
    ("scale | np.complex64(1+0j) | finite", lambda: layer(scale=np.complex64(1))),
    ("softcap | 0 | finite | above 0 | None", lambda: layer(softcap=0)),
    ("softcap | nan | finite | above 0 | None", lambda: layer(softcap=np.nan)),
    ("softcap | True | finite", lambda: layer(softcap=True)),
    ("softcap | 1e-99 | float32", lambda: attend(np.float32(X), P.astype("f4"), softcap=1e-99)),
    ("empty_rows | 'uniform' | zero | nan", lambda: layer(empty_rows="uniform")),
    ("causal | 'no' | True or False", lambda: layer(causal="no")),
    ("residual | 1 | True or False", lambda: layer(residual=1)),
    ("projections | [1, 2] | Projections", lambda: attend(X, [1, 2])),
    ("dtype | int64 | float32 or float64", lambda: P.astype(int)),
    ("n_heads | '2' | whole number", lambda: split_heads(X[None], "2")),
    ("scores | numbers | <U1", lambda: softmax(["a"])),
    ("scores | finite | -inf", lambda: softmax([np.inf, 1.0])),
    ("lengths | 0 to 3 | [1, 4]", lambda: padding_mask([1, 4], 3)),
    ("lengths | 0 to 3 | [-1]", lambda: padding_mask([-1], 3)),
    ("lengths | whole numbers | [1.5]", lambda: padding_mask([1.5], 3)),
    ("lengths | list | 2", lambda: padding_mask(2, 3)),
    ("S | '3' | whole number", lambda: padding_mask([1], "3")),
    ("left | -1 | 0", lambda: window_mask(3, 3, left=-1)),
    ("right | 0.5 | whole number", lambda: window_mask(3, 3, right=0.5)),
    ("T | -1 | 0", lambda: window_mask(-1, 3)),
    ("prefix | -1 | 0", lambda: prefix_mask(3, -1)),
    ("prefix | 1.5 | whole number", lambda: prefix_mask(3, 1.5)),
    ("rotary | True", lambda: layer(rotary=True)),
    ("even d_k", lambda: attend(X, Projections.weightless(4, 4), rotary=Rotary())),
    ("head_norm | 1.0", lambda: layer(head_norm=1.0)),
    ("range of float64", lambda: attend(X * 1e160, P, head_norm=HeadNorm())),
    ("sink | nan", lambda: layer(sink=np.nan)),
    ("sink | real numbers", lambda: layer(sink="no")),
    ("w_v | nan | [0, 0]", lambda: weights(w_v=NAN)),
    ("w_q | nan | [1, 0]", lambda: weights(w_q=put(ones((2, 2)), np.nan)[::-1].T)),
    ("w_o | 1e+300 | float32", lambda: weights(w_o=np.full((4, 4), 1e300)).astype("f4")),
    ("b_k | inf | [1]", lambda: weights(b_k=[0, np.inf, 0, 0])),
    ("w_q | real numbers | <U3", lambda: weights(w_q="abc")),
    ("w_q | inf | [0, 0]", lambda: weights(w_q=np.array([["1e400"]]).astype(np.longdouble))),
    ("dtype | 'nonsense' | float32 or float64", lambda: weights().astype("nonsense")),
    ("dtype | (<class 'int'>, -1) | float32 or float64", lambda: weights().astype((int, -1))),
    ("2 query heads | 3 key/value heads | divisor", lambda: weights(n_kv_heads=3)),
    ("n_heads | 0 | 1", lambda: weights(n_heads=0)),
    ("n_heads | 2.0 | whole number", lambda: weights(n_heads=2.0)),
    ("n_heads | True | whole number", lambda: weights(n_heads=True)),
    ("n_heads | 5 | d_model | 64 | 4 or 8 | d_k", lambda: Projections.random(64, 5)),
    ("n_heads | 40 | 64 | 32 or 64 | d_k", lambda: Projections.tied(64, 40)),
    ("n_heads | 4 | 6 | 3 or 6 | d_k", lambda: Projections.stiefel(6, 4)),
    ("n_heads | 9 | d_model | 4", lambda: Projections.weightless(4, 9)),
    ("d_k | 0 | 1", lambda: Projections.random(4, 2, d_k=0)),
    ("d_v | 1.5 | whole number", lambda: Projections.random(4, 2, d_v=1.5)),
    ("seed | -1 | 0 to 18446744073709551615", lambda: Projections.random(4, 2, seed=-1)),
    ("seed | 0 to 18446744073709551615", lambda: Projections.stiefel(4, 2, seed=2**64)),
    ("seed | '1' | whole number", lambda: Projections.tied(4, 2, seed="1")),
    ("init | 'zeros' | xavier | integers", lambda: Projections.random(4, 2, init="zeros")),
    ("bias | 'no' | True or False", lambda: Projections.random(4, 2, bias="no")),
    ("5 | 4 | d_k and d_v", lambda: Projections.stiefel(4, 2, d_k=5)),
    ("head 1 | nan | [0, 0]", lambda: Projections.from_heads([(X, X, X), (X, NAN, X)])),
    ("heads | None | list", lambda: Projections.from_heads(None)),
    ("heads | array(1.) | list", lambda: Projections.from_heads(np.array(1.0))),
]


@pytest.mark.parametrize(
    ("kind", "facts", "call"),
    [*((ShapeError, *one) for one in SHAPES), *((SettingsError, *one) for one in SETTINGS)],
)
def test_what_is_refused_is_named(
    kind: type[AttentionError], facts: str, call: Callable[[], Any]
) -> None:
    """A sentence names all facts: the argument, what arrived, what is expected. A warning before it
    would be an error.
    """
    with pytest.raises(kind) as caught:
        call()
    said = str(caught.value)
    for fact in facts.split(" | "):
        assert re.search(rf"(?<!\w){re.escape(fact)}(?!\w)", said), said


def test_heads_may_come_one_by_one() -> None:
    assert Projections.from_heads((X, X, X) for _ in range(2)).n_heads == 2


@pytest.mark.parametrize("kind", [ShapeError, SettingsError, TextError, FileError])
def test_every_kind_of_error_is_an_attention_error(kind: type[AttentionError]) -> None:
    assert issubclass(kind, AttentionError)
    assert issubclass(kind, ValueError)
