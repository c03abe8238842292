"""Arrays and labels as Python text: the very same values come back."""

from __future__ import annotations

import ast
import base64
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attention_core import causal_mask
from attention_lab.export.script import PACKED, UNPACKED, array_source, labels_source

KINDS = st.sampled_from([np.dtype("float64"), np.dtype("float32"), np.dtype("bool")])


def evaluated(source: str) -> np.ndarray:
    """The array that an expression makes."""
    names: dict[str, Any] = {"np": np, "base64": base64}
    exec(UNPACKED, names)  # the code under test is text
    array: np.ndarray = eval(source, names)
    return array


@settings(max_examples=60)
@given(KINDS.flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(max_dims=4, max_side=7))))
def test_the_very_same_array(array: np.ndarray) -> None:
    again = evaluated(array_source(array))
    assert (again.shape, again.dtype) == (array.shape, array.dtype)
    assert np.array_equal(again, array, equal_nan=array.dtype != np.bool_)
    if array.dtype != np.bool_:
        zeros = array == 0
        assert (np.signbit(again) == np.signbit(array))[zeros].all()


@pytest.mark.parametrize(
    ("array", "source"),
    [
        (np.eye(19), "np.eye(19)"),
        (np.eye(2, dtype=np.float32), "np.eye(2, dtype=np.float32)"),
        (causal_mask(11, 13), "np.tri(11, 13, dtype=bool)"),
        (np.array([[1.0]]), "np.array([[1.0]])"),
        (np.array(0.5), "np.array(0.5)"),
        (np.array([True, False]), "np.array([True, False])"),
        (
            np.array([[1.0, 10.5], [-np.inf, 0.0]]),
            "np.array(\n    [[    1.0,    10.5],\n     [-np.inf,     0.0]]\n)",
        ),
    ],
)
def test_a_small_or_simple_array_can_be_read(array: np.ndarray, source: str) -> None:
    assert array_source(array) == source
    assert evaluated(array_source(array)).tolist() == array.tolist()


@pytest.mark.parametrize(("side", "packed"), [(8, False), (17, True)])
def test_many_numbers_are_packed(side: int, packed: bool) -> None:
    array = np.random.default_rng(0).random((side, side))
    source = array_source(array)
    assert source.startswith(PACKED) == packed
    assert ("\n" in source) != packed
    again = evaluated(source)
    again[0, 0] = 7.0
    assert again[0, 0] == 7.0


def test_a_view_in_another_order_comes_back() -> None:
    array = np.random.default_rng(0).random((17, 19, 3)).swapaxes(0, 1)
    assert np.array_equal(evaluated(array_source(array)), array)


@given(st.lists(st.text(st.characters())))
def test_labels_come_back_from_one_line(labels: list[str]) -> None:
    source = labels_source(labels)
    assert ast.literal_eval(source) == tuple(labels)
    assert len(source.splitlines()) == 1
    source.encode("utf-8")
