"""Sizes that grow: each series keeps what it should, and counts along it are those of the
formulas.
"""

from __future__ import annotations

import pytest

from attention_lab.heads.counts import (
    SIZE_OF_LETTER,
    LayerSize,
    growing_sizes,
    size_value,
    total_count,
)
from attention_lab.heads.shared_keys import CACHE

SIZE = LayerSize(n_tokens=12, d_model=16, n_heads=4, n_kv_heads=2, d_k=4, d_v=4)


@pytest.mark.parametrize("letter", SIZE_OF_LETTER)
def test_only_what_must_grows(letter: str) -> None:
    series = growing_sizes(SIZE, letter)
    values = [size_value(size, letter) for size in series]
    assert values == sorted(set(values))
    assert len(values) > 1
    stays = {
        "n": ("d_model", "n_heads", "n_kv_heads", "d_k"),
        "C": ("n_tokens", "n_heads", "n_kv_heads"),
        "h": ("n_tokens", "d_model"),
        "G": ("n_tokens", "d_model", "n_heads", "d_k"),
    }
    for size in series:
        assert all(getattr(size, name) == getattr(SIZE, name) for name in stays[letter])
        if letter in "Ch":
            assert size.d_k == size.d_v == size.d_model // size.n_heads >= 1


@pytest.mark.parametrize(
    ("letter", "expected"),
    [
        ("n", [8, 16, 32, 64, 128, 256, 512]),
        ("C", [4, 8, 16, 32, 64, 128, 256, 512]),
        ("h", [1, 2, 4, 8, 16, 32]),
        ("G", [1, 2, 4]),
    ],
)
def test_how_far_a_size_grows(letter: str, expected: list[int]) -> None:
    assert [
        size_value(size, letter) for size in growing_sizes(LayerSize(12, 64, 4, 2, 16, 16), letter)
    ] == expected


@pytest.mark.parametrize(
    ("groups", "expected"), [(4, [1, 2, 4, 8, 16, 32]), (2, [1, 1, 2, 4, 8, 16]), (1, [1] * 6)]
)
def test_key_value_heads_follow_the_heads(groups: int, expected: list[int]) -> None:
    size = LayerSize(12, 32, 4, groups, 8, 8)
    assert [one.n_kv_heads for one in growing_sizes(size, "h")] == expected


def test_every_divisor_is_a_number_of_groups() -> None:
    size = LayerSize(12, 24, 6, 1, 4, 4)
    series = growing_sizes(size, "G")
    assert [one.n_kv_heads for one in series] == [1, 2, 3, 6]
    assert [total_count(CACHE, one) for one in series] == [96, 192, 288, 576]
