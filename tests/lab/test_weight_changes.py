"""What is said when a size moves: weights drawn anew, the same ones cut differently, or none by
hand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.compare import change_notes
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import embedding_of
from attention_lab.user_data.user_matrices import UserMatrices, layer_matrices

USUAL = Scenario()
WHOLE = layer_matrices(trace_of(USUAL))
OWN = replace(USUAL, own=UserMatrices(x=[[0.5] * 6] * 3).url_value(), n_heads=2)
BY_HAND = Scenario("the cat saw it", weights="by hand", d_model=8, n_heads=2)


@pytest.mark.parametrize("weights", ["random", "tied"])
def test_the_same_weights_are_cut_differently(weights: str) -> None:
    before = replace(USUAL, weights=weights)
    (note,) = change_notes(before, replace(before, n_heads=8))
    assert "same" in note
    assert "8 instead of 4" in note
    assert "anew" not in note


@pytest.mark.parametrize(
    ("before", "moved"),
    [
        (USUAL, {"d_model": 24}),
        (replace(USUAL, weights="orthonormal"), {"n_heads": 2}),
        (replace(USUAL, weights="tied"), {"d_model": 8}),
        (replace(USUAL, d_k=4, d_v=4), {"n_heads": 2}),
    ],
)
def test_weights_are_drawn_anew(before: Scenario, moved: dict[str, int]) -> None:
    ((name, size),) = moved.items()
    (note,) = change_notes(before, replace(before, **moved))
    assert "anew" in note
    assert f"{size} instead of {getattr(before, name)}" in note
    assert ("Word vectors" in note) == (name == "d_model")


def test_word_vectors_keep_their_first_numbers() -> None:
    narrow, wide = (embedding_of(replace(USUAL, d_model=size)).words for size in (16, 24))
    assert np.array_equal(narrow, wide[:, :16])


@pytest.mark.parametrize("sizes", [{"d_model": 16}, {"n_heads": 4}, {"d_k": 5}])
def test_weights_by_hand_do_not_fit(sizes: dict[str, Any]) -> None:
    other = replace(BY_HAND, **sizes)
    for before in (None, BY_HAND, other, USUAL):
        (note,) = change_notes(before, other)
        assert "8 features and 2 heads" in note
        assert "random" in note
    assert change_notes(other, BY_HAND) == change_notes(None, BY_HAND) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, USUAL),
        (USUAL, USUAL),
        (USUAL, replace(USUAL, seed=3)),
        (USUAL, replace(USUAL, d_model=24, text="we like tea")),
        (USUAL, replace(USUAL, d_model=24, n_heads=2)),
        (replace(USUAL, weights="weightless"), replace(USUAL, weights="weightless", d_model=24)),
        (replace(USUAL, weights="trained"), replace(USUAL, weights="trained", n_heads=2)),
        (replace(USUAL, own=WHOLE.url_value()), replace(USUAL, own=WHOLE.url_value(), d_model=24)),
        (USUAL, replace(USUAL, n_heads=5)),
        (replace(USUAL, n_heads=5), USUAL),
        (USUAL, replace(USUAL, own="!")),
        (OWN, replace(OWN, d_model=24)),  # own matrices decide before the controls
    ],
)
def test_nothing_is_said(before: Scenario | None, after: Scenario) -> None:
    assert change_notes(before, after) == ()
