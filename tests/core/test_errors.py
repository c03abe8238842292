"""Every error names the argument, what arrived and what was expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

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
    scaled_dot_product_attention,
    softmax,
    split_heads,
    window_mask,
)
from tests.core.refusing import Refusal, assert_refused

X = np.ones((3, 4))
P = Projections.random(4, 2)
# Reads a memory of width 5.
CROSS = Projections.random(4, 2, d_memory=5)
# Gives vectors of width 5.
WIDE = Projections(*np.ones((3, 4, 4)), np.ones((4, 5)), n_heads=2)
RAGGED = [[1.0, 2.0], [3.0]]


def put(array: np.ndarray, value: float) -> np.ndarray:
    """The array with one number replaced."""
    changed = np.array(array)
    changed[(1,) * array.ndim] = value
    return changed


def heads(*shapes: tuple[int, ...]) -> Any:
    """`scaled_dot_product_attention` of query, key and value heads of these shapes."""
    return scaled_dot_product_attention(*(np.ones(shape) for shape in shapes))


def single(size: float, w_k: float = 1.0, w_v: float = 1.0, **options: Any) -> Any:
    """A float32 layer of one token and width 1, on a number of a given size."""
    x, *matrices = (np.full((1, 1), number, np.float32) for number in (size, 1, w_k, w_v))
    return attend(x, Projections(*matrices, n_heads=1), **options)


SHAPES: list[Refusal] = [
    ("x | (tokens, features) | (batch, tokens, features) | (4,)", lambda: attend(np.ones(4), P)),
    (
        "memory | (batch, tokens, features) | (1, 1, 3, 4)",
        lambda: attend(X, P, memory=np.ones((1, 1, 3, 4))),
    ),
    ("x | (0, 4)", lambda: attend(np.ones((0, 4)), P)),
    ("x | (3, 0)", lambda: attend(np.ones((3, 0)), P)),
    ("x | (0, 3, 4)", lambda: attend(np.ones((0, 3, 4)), P)),
    ("memory | (0, 4)", lambda: attend(X, P, memory=np.ones((0, 4)))),
    ("w_q | 4 | x | 5", lambda: attend(np.ones((3, 5)), P)),
    ("w_k | 5 | memory | 4", lambda: attend(X, CROSS, memory=X)),
    ("x | 2 | memory | 3", lambda: attend(np.ones((2, 3, 4)), P, memory=np.ones((3, 3, 4)))),
    ("x | rectangular", lambda: attend(RAGGED, P)),
    ("mask | (2, 3) | (1, 2, 3, 3)", lambda: attend(X, P, mask=np.ones((2, 3), bool))),
    (
        "mask | (1, 1, 1, 3, 3) | (1, 2, 3, 3)",
        lambda: attend(X, P, mask=np.ones((1, 1, 1, 3, 3), bool)),
    ),
    ("mask | (2, 1, 3, 3) | (1, 2, 3, 3)", lambda: attend(X, P, mask=np.ones((2, 1, 3, 3), bool))),
    ("mask | rectangular", lambda: attend(X, P, mask=[[True], [True, False]])),
    ("bias | (4,) | (1, 2, 3, 3)", lambda: attend(X, P, bias=np.ones(4))),
    ("bias | rectangular", lambda: attend(X, P, bias=RAGGED)),
    (
        "query_heads | (batch, heads, tokens, features) | (1, 2, 3)",
        lambda: heads((1, 2, 3), (1, 1, 2, 3), (1, 1, 2, 3)),
    ),
    (
        "key_heads | (batch, heads, tokens, features) | (1, 1, 0, 3)",
        lambda: heads((1, 1, 2, 3), (1, 1, 0, 3), (1, 1, 0, 3)),
    ),
    ("2, 2, 3", lambda: heads((2, 1, 2, 3), (2, 1, 2, 3), (3, 1, 2, 3))),
    ("query | 4 | key | 3", lambda: heads((1, 1, 2, 4), (1, 1, 2, 3), (1, 1, 2, 3))),
    ("keys | (1, 2) | values | (1, 5)", lambda: heads((1, 1, 2, 3), (1, 1, 2, 3), (1, 1, 5, 3))),
    (
        "3 query heads | 2 key/value heads | divisor",
        lambda: heads((1, 3, 2, 3), (1, 2, 2, 3), (1, 2, 2, 3)),
    ),
    ("fused | (batch, tokens, features) | (3, 4)", lambda: split_heads(X, 2)),
    ("4 features | 3 heads | divisor", lambda: split_heads(X[None], 3)),
    ("4 features | 0 heads", lambda: split_heads(X[None], 0)),
    ("fused | rectangular", lambda: split_heads([RAGGED], 2)),
    ("heads | (batch, heads, tokens, features) | (1, 3, 4)", lambda: merge_heads(X[None])),
    ("heads | rectangular", lambda: merge_heads([[RAGGED]])),
    ("lengths | rectangular", lambda: padding_mask([[1], [1, 2]], 3)),
    ("query_gain | 3 numbers | 2", lambda: attend(X, P, head_norm=HeadNorm([1.0] * 3))),
    ("key_gain | 5 numbers | 2", lambda: attend(X, P, head_norm=HeadNorm(1.0, [1.0] * 5))),
    ("sink | (5,)", lambda: attend(X, P, sink=[0.0] * 5)),
]
SETTINGS: list[Refusal] = [
    ("x | nan | [1, 1]", lambda: attend(put(X, np.nan), P)),
    ("x | -inf | [1, 1]", lambda: attend(put(X, -np.inf), P)),
    ("memory | nan | [1, 1]", lambda: attend(X, P, memory=put(X, np.nan))),
    ("x | real numbers | <U1", lambda: attend([["a", "b"]], P)),
    ("x | real numbers | complex128", lambda: attend(X + 1j, P)),
    ("x | real numbers | object", lambda: attend([[object(), None]], P)),
    ("residual | 4 | 5", lambda: attend(X, WIDE, residual=True)),
    ("float32 | float64", lambda: single(1e20)),
    ("beyond the range of float32 | float64", lambda: single(1e5, w_v=1e35)),
    ("beyond the range of float32", lambda: single(1e5, w_v=1e35, empty_rows="nan")),
    # An overflow to minus infinity is no mask.
    ("beyond the range of float32", lambda: single(1e20, w_k=-1)),
    ("beyond the range of float32", lambda: single(1e20, w_k=-1, bias=[[0.0]])),
    ("beyond the range of float32", lambda: single(1.8e19, w_k=-1, bias=[[-3e38]])),
    ("float64 | smaller", lambda: attend(X * 1e200, P)),
    ("mask | bool | int64 | bias", lambda: attend(X, P, mask=np.ones((3, 3), int))),
    ("bias | -inf | NaN or +inf", lambda: attend(X, P, bias=np.full((3, 3), np.nan))),
    ("bias | -inf | NaN or +inf", lambda: attend(X, P, bias=np.inf)),
    ("bias | numbers | bool | mask", lambda: attend(X, P, bias=np.ones((3, 3), bool))),
    ("scale | inf | finite | None", lambda: attend(X, P, scale=np.inf)),
    ("scale | finite", lambda: attend(X, P, scale=10**400)),
    ("scale | '1' | finite | None", lambda: attend(X, P, scale="1")),
    ("scale | np.complex64(1+0j) | finite", lambda: attend(X, P, scale=np.complex64(1))),
    ("softcap | 0 | finite | above 0 | None", lambda: attend(X, P, softcap=0)),
    ("softcap | nan | finite | above 0 | None", lambda: attend(X, P, softcap=np.nan)),
    ("softcap | '1' | finite", lambda: attend(X, P, softcap="1")),
    ("softcap | [1.0, 2.0] | finite", lambda: attend(X, P, softcap=[1.0, 2.0])),
    ("softcap | True | finite", lambda: attend(X, P, softcap=True)),
    ("softcap | 1e-99 | float32", lambda: attend(np.float32(X), P.astype("f4"), softcap=1e-99)),
    ("empty_rows | 'uniform' | zero | nan", lambda: attend(X, P, empty_rows="uniform")),
    ("causal | 'no' | True or False", lambda: attend(X, P, causal="no")),
    ("residual | 1 | True or False", lambda: attend(X, P, residual=1)),
    ("projections | [1, 2] | Projections", lambda: attend(X, [1, 2])),
    ("projections | None | Projections", lambda: attend(X, None)),
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
    ("rotary | True", lambda: attend(X, P, rotary=True)),
    ("rotary | {'base': 10}", lambda: attend(X, P, rotary={"base": 10})),
    ("even d_k", lambda: attend(X, Projections.weightless(4, 4), rotary=Rotary())),
    ("head_norm | 1.0", lambda: attend(X, P, head_norm=1.0)),
    ("range of float64", lambda: attend(X * 1e160, P, head_norm=HeadNorm())),
    ("sink | nan", lambda: attend(X, P, sink=np.nan)),
    ("sink | real numbers", lambda: attend(X, P, sink="no")),
]


@pytest.mark.parametrize(("facts", "call"), SHAPES)
def test_shapes_that_are_refused(facts: str, call: Callable[[], Any]) -> None:
    assert_refused(ShapeError, facts, call)


@pytest.mark.parametrize(("facts", "call"), SETTINGS)
def test_settings_that_are_refused(facts: str, call: Callable[[], Any]) -> None:
    assert_refused(SettingsError, facts, call)


@pytest.mark.parametrize("kind", [ShapeError, SettingsError, TextError, FileError])
def test_every_kind_of_error_is_an_attention_error(kind: type[AttentionError]) -> None:
    assert issubclass(kind, AttentionError)
    assert issubclass(kind, ValueError)
