"""The user's matrices: files are read exactly, and sizes that do not fit are explained."""

from __future__ import annotations

import string
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attention_core import SettingsError, ShapeError
from attention_lab.user_data.text_store import is_key
from attention_lab.user_data.user_matrices import MAX_URL_CHARACTERS, UserMatrices, read_matrices
from tests.lab.refusal import Facts, refused
from tests.lab.user_matrix_cases import (
    MATRICES,
    D,
    H,
    K,
    T,
    V,
    any_matrices,
    assert_identical,
    npz,
    some,
)


@given(any_matrices())
def test_matrices_come_back_from_their_text(own: UserMatrices) -> None:
    text = own.encode()
    assert_identical(UserMatrices.decode(text), own)
    assert set(text) <= set(string.ascii_letters + string.digits + "-_")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "dtype", ["<f2", ">f4", "<f8", ">f8", "i1", ">i2", "<i4", "<i8", "u1", ">u8"]
)
def test_number_types_and_memory_layouts(dtype: str, order: Any) -> None:
    numbers = np.arange(35).reshape(T, D)
    matrix = read_matrices(npz(X=np.array(numbers, dtype=dtype, order=order)), "x.npz").x
    assert matrix is not None
    assert matrix.dtype == np.float64
    assert matrix.tolist() == numbers.tolist()
    assert not matrix.flags.writeable


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        (
            {"x": (T, 6)},
            ("X", 6, "W_Q", 7, "W_K", "W_V"),
        ),
        (
            {"w_k": (D, 20)},
            ("W_Q", 22, "W_K", 20),
        ),
        (
            {"w_o": (25, D)},
            ("W_V", 26, "W_O", 25),
        ),
        (
            {"w_q": (D, 21), "w_k": (D, 21), "b_q": (21,), "b_k": (21,)},
            ("b_Q", 21, "b_K", 2, 1, 3),
        ),
        (
            {"w_v": (D, 258), "w_o": (258, D)},
            ("d_v", 129, 2, 128),
        ),
    ],
)
def test_sizes_that_do_not_fit(changes: dict[str, tuple[int, int]], facts: Facts) -> None:
    own = replace(some(*MATRICES), **{name: np.ones(shape) for name, shape in changes.items()})
    with refused(ShapeError, *facts):
        own.sizes(H)


def test_sizes_that_the_matrices_decide() -> None:
    assert some().sizes(H) == {"n_tokens": T, "d_model": D, "d_k": K, "d_v": V}
    assert some().sizes(1) == {"n_tokens": T, "d_model": D, "d_k": H * K, "d_v": H * V}
    assert some("w_o").sizes(13) == {"d_v": 2}
    assert some("x").sizes(H) == {"n_tokens": T, "d_model": D}
    assert UserMatrices(w_v=np.ones((D, 256))).sizes(H) == {"d_model": D, "d_v": 128}
    assert UserMatrices().sizes(H) == {}


def test_a_newer_matrix_counts() -> None:
    first, second = some("x", "w_q"), some("w_q", "w_k", seed=1)
    both = first.updated(second)
    assert_identical(both, UserMatrices(x=first.x, w_q=second.w_q, w_k=second.w_k))


def test_small_matrices_stand_in_the_url() -> None:
    rng = np.random.default_rng(0)
    small = UserMatrices(
        x=np.round(rng.normal(size=(20, 16)), 2), w_q=np.round(rng.normal(size=(32, 33)), 2)
    )
    large = UserMatrices(w_q=rng.normal(size=(64, 64)))
    assert small.url_value() == small.encode()
    assert len(small.url_value()) < MAX_URL_CHARACTERS
    assert is_key(large.url_value())
    assert large.url_value() == UserMatrices(w_q=large.w_q).url_value()
    for own in (small, large):
        assert_identical(UserMatrices.from_url(own.url_value()), own)
    with refused(SettingsError, "state file", "matrices"):
        UserMatrices.from_url(".0123456789abcdef")
