"""The user's matrices and biases: files are read exactly; sizes that do not fit are explained."""

from __future__ import annotations

import string
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attention_core import AttentionError, FileError, SettingsError, ShapeError, Trace
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.edits import MAX_EDITS
from attention_lab.user_data.matrix_names import (
    ALL_SYMBOLS,
    MAX_FILE_BYTES,
    MAX_MATRIX_BYTES,
    MAX_SHAPES,
    MAX_STATE_BYTES,
    MAX_UNPACKED_BYTES,
)
from attention_lab.user_data.text_store import is_key
from attention_lab.user_data.user_matrices import MAX_URL_CHARACTERS, UserMatrices, read_matrices
from tests.lab.made_files import npz
from tests.lab.refusal import Facts, refused
from tests.lab.user_matrix_cases import (
    MATRICES,
    SHAPES,
    D,
    H,
    K,
    T,
    V,
    any_matrices,
    assert_identical,
    some,
)


@given(any_matrices())
def test_matrices_come_back_from_their_text(own: UserMatrices) -> None:
    text = own.encode()
    assert_identical(UserMatrices.decode(text), own)
    assert set(text) <= set(string.ascii_letters + string.digits + "-_")


@pytest.mark.parametrize(
    ("values", "kind", "facts"),
    [
        (np.ones((2, 3)), ShapeError, ("b_Q", "(2, 3)")),
        (np.ones((2, 1, 4)), ShapeError, ("b_Q", "(2, 1, 4)")),
        (1.0, ShapeError, ("b_Q", "()")),
        (np.ones((1, 0)), ShapeError, ("b_Q", "(0,)")),
        (np.ones(2049), ShapeError, ("b_Q", 2049, 2048)),
        ([1.0, np.nan], FileError, ("b_Q", "place 1", "nan")),
    ],
)
def test_what_is_no_bias(values: Any, kind: type[AttentionError], facts: Facts) -> None:
    with refused(kind, *facts):
        read_matrices(npz({"b_q": np.asarray(values)}), "m.npz")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "dtype", ["<f2", ">f4", "<f8", ">f8", "i1", ">i2", "<i4", "<i8", "u1", ">u8"]
)
def test_number_types_and_memory_layouts(dtype: str, order: Any) -> None:
    numbers = np.arange(35).reshape(T, D)
    matrix = read_matrices(npz({"X": np.array(numbers, dtype=dtype, order=order)}), "x.npz").x
    assert matrix is not None
    assert matrix.dtype == np.float64
    assert matrix.tolist() == numbers.tolist()
    assert not matrix.flags.writeable


@pytest.mark.parametrize(
    ("shapes", "n_heads", "facts"),
    [
        (MATRICES | {"x": (T, 6)}, H, ("X", 6, "W_Q", 7, "W_K", "W_V")),
        (MATRICES | {"w_k": (D, 20)}, H, ("W_Q", 22, "W_K", 20)),
        (MATRICES | {"w_o": (25, D)}, H, ("W_V", 26, "W_O", 25)),
        (MATRICES | {"w_v": (D, 258), "w_o": (258, D)}, H, ("d_v", 129, 2, 128)),
        (SHAPES | {"b_q": (20,)}, H, ("W_Q", 22, "W_K", "b_Q", 20, "b_K")),
        (SHAPES | {"b_k": (23,)}, H, ("b_Q", 22, "b_K", 23)),
        (SHAPES | {"b_v": (1,)}, H, ("W_V", 26, "b_V", 1, "W_O")),
        (SHAPES | {"b_o": (8,)}, H, ("W_O", 7, "b_O", 8)),
        ({"w_q": (D, 21), "b_k": (21,)}, H, ("W_Q", 21, "b_K", 2, 1, 3)),
        ({"w_q": (D, 4), "b_o": (D + 1,)}, H, ("W_Q", 7, "b_O", 8)),
        *(
            ({name: (7,)}, 4, (symbol, 7, 4, 1))
            for name, symbol in (("b_q", "b_Q"), ("b_k", "b_K"), ("b_v", "b_V"))
        ),
    ],
)
def test_sizes_that_do_not_fit(
    shapes: dict[str, tuple[int, ...]], n_heads: int, facts: Facts
) -> None:
    given: dict[str, Any] = {name: np.ones(shape) for name, shape in shapes.items()}
    with refused(ShapeError, *facts) as caught:
        UserMatrices(**given).sizes(n_heads)
    assert len(given) > 1 or "W_" not in str(caught.value)


def test_sizes_that_the_matrices_decide() -> None:
    assert some().sizes(H) == {"n_tokens": T, "d_model": D, "d_k": K, "d_v": V}
    assert some().sizes(1) == {"n_tokens": T, "d_model": D, "d_k": H * K, "d_v": H * V}
    assert some("w_o").sizes(13) == some("b_v").sizes(13) == {"d_v": 2}
    assert some("x").sizes(H) == {"n_tokens": T, "d_model": D}
    assert some("b_q").sizes(H) == {"d_k": K}
    assert some("b_o").sizes(H) == {"d_model": D}
    assert UserMatrices(w_v=np.ones((D, 256))).sizes(H) == {"d_model": D, "d_v": 128}
    assert UserMatrices().sizes(H) == {}


def test_small_matrices_stand_in_the_url() -> None:
    x, w_q, wide = (np.random.default_rng(0).normal(size=(side, side)) for side in (18, 32, 64))
    small = UserMatrices(x=x).updated(UserMatrices(x=np.round(x, 2), w_q=np.round(w_q, 2)))
    assert_identical(small, UserMatrices(x=np.round(x, 2), w_q=np.round(w_q, 2)))
    large = UserMatrices(w_q=wide)
    assert small.url_value() == small.encode()
    assert len(small.url_value()) < MAX_URL_CHARACTERS
    assert is_key(large.url_value())
    assert large.url_value() == UserMatrices(w_q=large.w_q).url_value()
    for own in (small, large):
        assert_identical(UserMatrices.from_url(own.url_value()), own)
    with refused(SettingsError, "state file", "matrices"):
        UserMatrices.from_url(".0123456789abcdef")


@pytest.mark.parametrize("shape", [(4,), (1, 4), (4, 1)])
def test_a_bias_is_a_row_or_a_column(shape: tuple[int, ...]) -> None:
    bias = np.arange(4.0).reshape(shape)
    rows = "\n".join(",".join(map(repr, row)) for row in np.atleast_2d(bias).tolist())
    for own in (
        UserMatrices(b_k=bias),
        read_matrices(npz({"BK": bias.astype(">f4")}), "m.npz"),
        read_matrices(npz({"b_K": bias[np.newaxis]}), "m.npz"),
        read_matrices(f"b_K\n{rows}".encode(), "m.csv"),
        read_matrices(rows.encode(), "layer 2 b_k.csv"),
    ):
        assert own.arrays.keys() == {"b_k"}
        assert own.b_k is not None
        assert own.b_k.tolist() == [0, 1, 2, 3]
        assert not own.b_k.flags.writeable


def test_an_output_bias_where_the_heads_are_joined() -> None:
    def joined(own: UserMatrices) -> Trace:
        return trace_of(Scenario(weights="weightless", n_heads=1, own=own.url_value()))

    beside = UserMatrices(w_v=np.ones((D, 4)), x=np.ones((3, D)))
    added = joined(replace(beside, b_o=np.arange(4.0))).output - joined(beside).output
    np.testing.assert_allclose(added, np.tile(np.arange(4.0), (1, 3, 1)))
    with refused(ShapeError, "W_V", 4, "b_O", 7):
        joined(replace(beside, b_o=np.ones(D)))
    assert joined(some("b_o")).sizes["D"] == D


def test_files_have_room_for_the_largest_matrices() -> None:
    assert list(ALL_SYMBOLS) == list(MAX_SHAPES) == list(SHAPES)
    zeros: dict[str, Any] = {name: np.zeros(shape) for name, shape in MAX_SHAPES.items()}
    assert UserMatrices.decode(UserMatrices(**zeros).encode()).arrays.keys() == zeros.keys()
    largest = trace_of(Scenario(n_tokens=64, d_model=512, n_heads=16, d_k=128, d_v=128))
    steps = sum(getattr(largest, name).nbytes for name in largest.steps)
    assert MAX_MATRIX_BYTES < MAX_FILE_BYTES
    assert MAX_MATRIX_BYTES + steps < MAX_UNPACKED_BYTES
    assert MAX_MATRIX_BYTES * 4 / 3 + MAX_EDITS * 100 < MAX_STATE_BYTES
