"""The sentence of every error: it names the argument, what was expected, what arrived, and what
to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import (
    AttentionError,
    FileError,
    Projections,
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

X = np.ones((3, 4))
P = Projections.random(4, 2)
# Reads a memory of width 5.
CROSS = Projections.random(4, 2, d_memory=5)
# Gives vectors of width 5.
WIDE = Projections(*np.ones((3, 4, 4)), np.ones((4, 5)), n_heads=2)
RAGGED = [[1.0, 2.0], [3.0]]
Case = tuple[Callable[[], Any], type[AttentionError], str]


def put(array: np.ndarray, value: float) -> np.ndarray:
    """The array with one number replaced."""
    changed = np.array(array)
    changed[(1,) * array.ndim] = value
    return changed


def heads(*shapes: tuple[int, ...]) -> Any:
    """`scaled_dot_product_attention` of query, key and value heads of these shapes."""
    return scaled_dot_product_attention(*(np.ones(shape) for shape in shapes))


def single(size: float, w_v: float = 1.0) -> Any:
    """A float32 layer on numbers of a given size."""
    one = np.ones((1, 1), np.float32)
    return attend(
        one * np.float32(size), Projections(one, one, one * np.float32(w_v), one, n_heads=1)
    )


SEQUENCES: dict[str, Case] = {
    "nan in x": (
        lambda: attend(put(X, np.nan), P),
        SettingsError,
        "x holds nan at [1, 1]; every number must be finite: replace it",
    ),
    "infinity in x": (
        lambda: attend(put(X, -np.inf), P),
        SettingsError,
        "x holds -inf at [1, 1]; every number must be finite: replace it",
    ),
    "nan in memory": (
        lambda: attend(X, P, memory=put(X, np.nan)),
        SettingsError,
        "memory holds nan at [1, 1]; every number must be finite: replace it",
    ),
    "one axis": (
        lambda: attend(np.ones(4), P),
        ShapeError,
        "x must have shape (tokens, features) or (batch, tokens, features), but has shape (4,)",
    ),
    "four axes": (
        lambda: attend(X, P, memory=np.ones((1, 1, 3, 4))),
        ShapeError,
        (
            "memory must have shape (tokens, features) or (batch, tokens, features), but has shape"
            " (1, 1, 3, 4)"
        ),
    ),
    "no tokens": (
        lambda: attend(np.ones((0, 4)), P),
        ShapeError,
        "x has shape (0, 4), which holds no number; give at least one token and feature",
    ),
    "no features": (
        lambda: attend(np.ones((3, 0)), P),
        ShapeError,
        "x has shape (3, 0), which holds no number; give at least one token and feature",
    ),
    "no batch": (
        lambda: attend(np.ones((0, 3, 4)), P),
        ShapeError,
        "x has shape (0, 3, 4), which holds no number; give at least one token and feature",
    ),
    "no memory": (
        lambda: attend(X, P, memory=np.ones((0, 4))),
        ShapeError,
        "memory has shape (0, 4), which holds no number; give at least one token and feature",
    ),
    "width of x": (
        lambda: attend(np.ones((3, 5)), P),
        ShapeError,
        "w_q reads 4 features per token but x has 5; make them agree",
    ),
    "width of the memory": (
        lambda: attend(X, CROSS, memory=X),
        ShapeError,
        "w_k reads 5 features per token but memory has 4; make them agree",
    ),
    "batch sizes": (
        lambda: attend(np.ones((2, 3, 4)), P, memory=np.ones((3, 3, 4))),
        ShapeError,
        "x holds 2 sequences but memory holds 3; make them equal",
    ),
    "text": (
        lambda: attend([["a", "b"]], P),
        SettingsError,
        "x must hold real numbers, but holds <U1; convert it first",
    ),
    "complex": (
        lambda: attend(X + 1j, P),
        SettingsError,
        "x must hold real numbers, but holds complex128; convert it first",
    ),
    "objects": (
        lambda: attend([[object(), None]], P),
        SettingsError,
        "x must hold real numbers, but holds object; convert it first",
    ),
    "ragged": (
        lambda: attend(RAGGED, P),
        ShapeError,
        "x must be a rectangular array of numbers, but its rows differ in length",
    ),
    "connection": (
        lambda: attend(X, WIDE, residual=True),
        SettingsError,
        "residual adds the inputs of width 4 to an output of width 5: they must agree",
    ),
    "overflow of the scores": (
        lambda: single(1e20),
        SettingsError,
        "the numbers grew beyond the range of float32 on the way; use smaller inputs or float64",
    ),
    "overflow of the values": (
        lambda: single(1e5, w_v=1e35),
        SettingsError,
        "the numbers grew beyond the range of float32 on the way; use smaller inputs or float64",
    ),
    "overflow of float64": (
        lambda: attend(X * 1e200, P),
        SettingsError,
        "the numbers grew beyond the range of float64 on the way; use smaller inputs",
    ),
}

OPTIONS: dict[str, Case] = {
    "mask of numbers": (
        lambda: attend(X, P, mask=np.ones((3, 3), int)),
        SettingsError,
        (
            "mask must be bool (True = may attend), but is int64; write mask > 0, or pass numbers"
            " as bias"
        ),
    ),
    "mask of another shape": (
        lambda: attend(X, P, mask=np.ones((2, 3), bool)),
        ShapeError,
        "mask of shape (2, 3) does not broadcast to (batch, heads, queries, keys) = (1, 2, 3, 3)",
    ),
    "mask of five axes": (
        lambda: attend(X, P, mask=np.ones((1, 1, 1, 3, 3), bool)),
        ShapeError,
        (
            "mask of shape (1, 1, 1, 3, 3) does not broadcast to (batch, heads, queries, keys) ="
            " (1, 2, 3, 3)"
        ),
    ),
    "mask of another batch": (
        lambda: attend(X, P, mask=np.ones((2, 1, 3, 3), bool)),
        ShapeError,
        (
            "mask of shape (2, 1, 3, 3) does not broadcast to (batch, heads, queries, keys) = (1,"
            " 2, 3, 3)"
        ),
    ),
    "bias of nan": (
        lambda: attend(X, P, bias=np.full((3, 3), np.nan)),
        SettingsError,
        "bias may hold finite numbers and -inf, but holds NaN or +inf; replace them",
    ),
    "bias of infinity": (
        lambda: attend(X, P, bias=np.inf),
        SettingsError,
        "bias may hold finite numbers and -inf, but holds NaN or +inf; replace them",
    ),
    "bias of bools": (
        lambda: attend(X, P, bias=np.ones((3, 3), bool)),
        SettingsError,
        "bias must hold numbers, but is bool; pass bools as mask",
    ),
    "bias of another shape": (
        lambda: attend(X, P, bias=np.ones(4)),
        ShapeError,
        "bias of shape (4,) does not broadcast to (batch, heads, queries, keys) = (1, 2, 3, 3)",
    ),
    "infinite scale": (
        lambda: attend(X, P, scale=np.inf),
        SettingsError,
        "scale is inf but must be a finite number, or None for 1/sqrt(d_k)",
    ),
    "scale of text": (
        lambda: attend(X, P, scale="1"),
        SettingsError,
        "scale is '1' but must be a finite number, or None for 1/sqrt(d_k)",
    ),
    "soft cap of 0": (
        lambda: attend(X, P, softcap=0),
        SettingsError,
        "softcap is 0 but must be a finite number above 0, or None for no cap",
    ),
    "soft cap of nan": (
        lambda: attend(X, P, softcap=np.nan),
        SettingsError,
        "softcap is nan but must be a finite number above 0, or None for no cap",
    ),
    "empty rows": (
        lambda: attend(X, P, empty_rows="uniform"),
        SettingsError,
        "empty_rows is 'uniform' but must be 'zero', or 'nan' to do as PyTorch does",
    ),
}

HEADS: dict[str, Case] = {
    "three axes": (
        lambda: heads((1, 2, 3), (1, 1, 2, 3), (1, 1, 2, 3)),
        ShapeError,
        "query_heads must have shape (batch, heads, tokens, features), none 0, but has (1, 2, 3)",
    ),
    "no keys": (
        lambda: heads((1, 1, 2, 3), (1, 1, 0, 3), (1, 1, 0, 3)),
        ShapeError,
        "key_heads must have shape (batch, heads, tokens, features), none 0, but has (1, 1, 0, 3)",
    ),
    "batch sizes": (
        lambda: heads((2, 1, 2, 3), (2, 1, 2, 3), (3, 1, 2, 3)),
        ShapeError,
        "the batch sizes 2, 2, 3 differ; make them equal",
    ),
    "query and key": (
        lambda: heads((1, 1, 2, 4), (1, 1, 2, 3), (1, 1, 2, 3)),
        ShapeError,
        "a query has width 4 but a key has width 3; make them equal",
    ),
    "key and value": (
        lambda: heads((1, 1, 2, 3), (1, 1, 2, 3), (1, 1, 5, 3)),
        ShapeError,
        "keys have (heads, tokens) (1, 2) but values (1, 5); make them equal",
    ),
    "uneven sharing": (
        lambda: heads((1, 3, 2, 3), (1, 2, 2, 3), (1, 2, 2, 3)),
        ShapeError,
        "3 query heads cannot share 2 key/value heads evenly; choose a divisor",
    ),
    "split of two axes": (
        lambda: split_heads(X, 2),
        ShapeError,
        "fused must have shape (batch, tokens, features), but has shape (3, 4)",
    ),
    "split by no divisor": (
        lambda: split_heads(X[None], 3),
        ShapeError,
        "4 features cannot be cut into 3 heads of equal width; choose a divisor",
    ),
    "split into none": (
        lambda: split_heads(X[None], 0),
        ShapeError,
        "4 features cannot be cut into 0 heads of equal width; choose a divisor",
    ),
    "merge of three axes": (
        lambda: merge_heads(X[None]),
        ShapeError,
        "heads must have shape (batch, heads, tokens, features), but has shape (1, 3, 4)",
    ),
    "too long": (
        lambda: padding_mask([1, 4], 3),
        SettingsError,
        "lengths must lie from 0 to 3, the number of keys, but are [1, 4]",
    ),
    "negative length": (
        lambda: padding_mask([-1], 3),
        SettingsError,
        "lengths must lie from 0 to 3, the number of keys, but are [-1]",
    ),
    "half a token": (
        lambda: padding_mask([1.5], 3),
        SettingsError,
        "lengths must be a list of whole numbers, one per sequence, but is [1.5]",
    ),
    "one length": (
        lambda: padding_mask(2, 3),
        SettingsError,
        "lengths must be a list of whole numbers, one per sequence, but is 2",
    ),
    "negative window": (
        lambda: window_mask(3, 3, left=-1),
        SettingsError,
        "left is -1 but must be at least 0",
    ),
    "half a window": (
        lambda: window_mask(3, 3, right=0.5),
        SettingsError,
        "right is 0.5 but must be a whole number",
    ),
    "negative size": (lambda: window_mask(-1, 3), SettingsError, "T is -1 but must be at least 0"),
}

NONSENSE: dict[str, Case] = {
    "soft cap of text": (
        lambda: attend(X, P, softcap="1"),
        SettingsError,
        "softcap is '1' but must be",
    ),
    "several soft caps": (
        lambda: attend(X, P, softcap=[1.0, 2.0]),
        SettingsError,
        "softcap is [1.0, 2.0] but must be",
    ),
    "soft cap of a bool": (
        lambda: attend(X, P, softcap=True),
        SettingsError,
        "softcap is True but must be",
    ),
    "huge scale": (lambda: attend(X, P, scale=10**400), SettingsError, "scale is 1000"),
    "complex scale": (
        lambda: attend(X, P, scale=np.complex64(1)),
        SettingsError,
        "scale is np.complex64(1+0j) but must be",
    ),
    "ragged mask": (
        lambda: attend(X, P, mask=[[True], [True, False]]),
        ShapeError,
        "mask must be a rectangular array",
    ),
    "ragged bias": (
        lambda: attend(X, P, bias=RAGGED),
        ShapeError,
        "bias must be a rectangular array",
    ),
    "ragged lengths": (lambda: padding_mask([[1], [1, 2]], 3), AttentionError, "lengths must be"),
    "keys of text": (
        lambda: padding_mask([1], "3"),
        SettingsError,
        "S is '3' but must be a whole number",
    ),
    "ragged features": (
        lambda: split_heads([RAGGED], 2),
        ShapeError,
        "fused must be a rectangular array",
    ),
    "heads of text": (
        lambda: split_heads(X[None], "2"),
        SettingsError,
        "n_heads is '2' but must be a whole number",
    ),
    "causal by word": (
        lambda: attend(X, P, causal="no"),
        SettingsError,
        "causal is 'no' but must be True or False",
    ),
    "residual by number": (
        lambda: attend(X, P, residual=1),
        SettingsError,
        "residual is 1 but must be True or False",
    ),
    "tiny soft cap": (
        lambda: attend(np.float32(X), P.astype("f4"), softcap=1e-99),
        SettingsError,
        "softcap is 1e-99",
    ),
    "scores of text": (
        lambda: softmax(["a"]),
        SettingsError,
        "scores must hold numbers, but is <U1",
    ),
    "list of weights": (
        lambda: attend(X, [1, 2]),
        SettingsError,
        "projections is [1, 2] but must be Projections",
    ),
    "no weights": (
        lambda: attend(X, None),
        SettingsError,
        "projections is None but must be Projections",
    ),
    "infinite score": (
        lambda: softmax([np.inf, 1.0]),
        SettingsError,
        "scores may hold finite numbers and -inf",
    ),
    "whole-number weights": (
        lambda: P.astype(int),
        SettingsError,
        "dtype is int64 but must be float32 or float64",
    ),
    "ragged heads": (
        lambda: merge_heads([[RAGGED]]),
        ShapeError,
        "heads must be a rectangular array",
    ),
}


def assert_refused(case: Case) -> str:
    """The sentence with which a call is refused, warnings before it being errors here."""
    call, kind, _ = case
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, AttentionError)
    return str(caught.value)


@pytest.mark.parametrize("name", SEQUENCES)
def test_inputs_that_are_refused(name: str) -> None:
    """What is wrong with x or memory is said in one exact sentence."""
    assert assert_refused(SEQUENCES[name]) == SEQUENCES[name][2]


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_are_refused(name: str) -> None:
    """What is wrong with an option of `attend` is said in one exact sentence."""
    assert assert_refused(OPTIONS[name]) == OPTIONS[name][2]


@pytest.mark.parametrize("name", HEADS)
def test_heads_and_masks_that_are_refused(name: str) -> None:
    """What is wrong with heads to compare, split or merge, or with a mask to make, is said in
    one exact sentence.
    """
    assert assert_refused(HEADS[name]) == HEADS[name][2]


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_by_name(name: str) -> None:
    """A value of the wrong type is answered by the engine and named, not by an error from
    inside NumPy.
    """
    assert assert_refused(NONSENSE[name]).startswith(NONSENSE[name][2])


@pytest.mark.parametrize("kind", [ShapeError, SettingsError, TextError, FileError])
def test_every_kind_of_error_is_an_attention_error(kind: type[AttentionError]) -> None:
    """The app catches AttentionError in one place; a notebook may catch ValueError."""
    assert issubclass(kind, AttentionError)
    assert issubclass(kind, ValueError)


@pytest.mark.parametrize("empty_rows", ["zero", "nan"])
def test_overflow_is_refused_however_empty_rows_are_shown(empty_rows: str) -> None:
    """NaN stands for rows without keys only; a number that grew too large is an error in either
    mode.
    """
    one = np.ones((1, 1), np.float32)
    layer = Projections(one, one, one * np.float32(1e35), n_heads=1)
    with pytest.raises(SettingsError, match="beyond the range of float32"):
        attend(one * np.float32(1e5), layer, empty_rows=empty_rows)


@pytest.mark.parametrize(("size", "bias"), [(1e20, None), (1e20, [[0.0]]), (1.8e19, [[-3e38]])])
def test_overflow_to_minus_infinity_is_no_mask(size: float, bias: list[list[float]] | None) -> None:
    """A score that falls below the range of float32 is an error, never taken for a hidden cell."""
    one = np.ones((1, 1), np.float32)
    with pytest.raises(SettingsError, match="beyond the range of float32"):
        attend(one * np.float32(size), Projections(one, -one, one, n_heads=1), bias=bias)
