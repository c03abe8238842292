"""What is said of the second sequence of a batch is what is said of that sequence alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import (
    Projections,
    Trace,
    attend,
)
from attention_lab.diagonal.geometry import half_plane_of
from attention_lab.diagonal.measures import self_attention_of
from attention_lab.diagonal.propositions.checks import tokens_of_trace
from attention_lab.heads.head_worth import has_shares
from attention_lab.heads.keys_read import keys_read_most, strongest_keys
from attention_lab.heads.layout_mistakes import wrong_merged_cells
from attention_lab.heads.scale_effect import scale_effect, unmasked_shares


@pytest.mark.parametrize(
    "read",
    [
        lambda trace, batch: scale_effect(trace, 1, batch).spread,
        lambda trace, batch: unmasked_shares(trace, 1, batch)[0].tolist(),
        lambda trace, batch: strongest_keys(trace, 1, 2, batch=batch),
        lambda trace, batch: keys_read_most(trace, 1, 2, batch),
        lambda trace, batch: wrong_merged_cells(trace, batch).tolist(),
        lambda trace, batch: has_shares(trace, batch),
        lambda trace, batch: self_attention_of(trace, 1, batch).scores.tolist(),
        lambda trace, batch: half_plane_of(trace, 2, 1, batch).threshold,
        lambda trace, batch: tokens_of_trace(trace, 1, batch).scores.tolist(),
    ],
)
def test_of_a_batch_the_sequence_is_read_that_is_asked_for(
    read: Callable[[Trace, int], Any],
) -> None:
    second = np.random.default_rng(5).normal(size=(1, 3, 4))
    weights = Projections.random(4, 2, seed=1)
    both, alone = attend(np.concatenate([0 * second, second]), weights), attend(second, weights)
    assert read(both, 1) == read(alone, 0)
    assert read(both, 1) != read(both, 0)
