"""A pair of features before and after its turn, for every cell, and a shift of all positions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import Projections, Rotary, SettingsError, Trace, attend
from attention_lab.rotary_pairs import pair_of, shift_gap


def layer(pairs: str) -> Trace:
    """Two heads that share keys, each three pairs wide."""
    weights = Projections.random(5, 2, d_k=6, n_kv_heads=1, seed=1)
    x = np.random.default_rng(0).normal(size=(4, 5))
    return attend(x, weights, rotary=Rotary(100.0, pairs, start=3))


@pytest.mark.parametrize("pairs", ["neighbours", "halves"])
def test_a_pair_holds_its_numbers_and_its_angle(pairs: str) -> None:
    trace = layer(pairs)
    for field, heads in (("turned_queries", 2), ("turned_keys", 1)):
        (source,) = trace.needs(field)
        for cell in np.ndindex(1, heads, 4, 6):
            pair = pair_of(trace, field, cell)
            assert cell[3] in (pair.first, pair.second)
            assert pair.second - pair.first == (1 if pairs == "neighbours" else 3)
            assert pair.position == cell[2] + 3
            for numbers, array in ((pair.before, source), (pair.after, field)):
                row = getattr(trace, array)[cell[:3]]
                assert numbers == (row[pair.first], row[pair.second])
            assert math.hypot(*pair.after) == pytest.approx(pair.length)
            turned = complex(*pair.before) * complex(math.cos(pair.angle), math.sin(pair.angle))
            assert (turned.real, turned.imag) == pytest.approx(pair.after)


def test_a_shift_moves_no_score() -> None:
    assert shift_gap(layer("halves"), 100) < 1e-12


def test_without_rotary_positions_there_is_no_pair() -> None:
    plain = attend(np.eye(2), Projections.weightless(2))
    with pytest.raises(SettingsError, match="rotary"):
        pair_of(plain, "turned_keys", (0, 0, 0, 0))
    with pytest.raises(SettingsError, match="rotary"):
        shift_gap(plain, 1)
