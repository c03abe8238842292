"""Where numbers lie on their way through the split, and how many go astray without the swap."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import split_heads
from attention_core.derivation import derive_input
from attention_core.embeddings import embed
from attention_lab.heads.layout_mistakes import (
    astray,
    foreign_cells,
    merge_without_swap,
    split_places,
    split_without_swap,
)

B, T, H, K = 2, 5, 3, 7
FUSED = np.arange(B * T * H * K).reshape(B, T, H * K)


@pytest.mark.parametrize("place", [(0, 0, 0, 0), (1, 4, 2, 6), (0, 3, 1, 5)])
def test_every_place_of_the_split_holds_the_same_number(place: tuple[int, int, int, int]) -> None:
    """One number is followed through the fused, the reshaped, the swapped and the wrongly
    reshaped array.
    """
    batch, token, head, feature = place
    places = split_places((B, H, T, K), head, token, feature, batch)
    value = FUSED[places.fused]
    assert FUSED.reshape(B, T, H, K)[places.reshaped] == value
    assert split_heads(FUSED, H)[places.swapped] == value
    assert split_without_swap(FUSED, H)[places.unswapped] == value


def test_foreign_cells_are_those_whose_number_comes_from_another_token() -> None:
    """A cell counts as foreign exactly if the row of the fused matrix it came from is not its
    own token's.
    """
    origin = split_without_swap(FUSED[:1], H)[0] // (H * K)
    np.testing.assert_array_equal(foreign_cells(T, H, K), origin != np.arange(T)[:, np.newaxis])


@pytest.mark.parametrize(("n_tokens", "n_heads"), [(5, 1), (1, 3)])
def test_nothing_goes_astray_with_one_head_or_one_token(n_tokens: int, n_heads: int) -> None:
    """Where an axis has length 1 there is nothing to swap."""
    assert not foreign_cells(n_tokens, n_heads, K).any()


@pytest.mark.parametrize("positions", [True, False])
def test_an_input_is_the_word_plus_the_position(positions: bool) -> None:
    """The arithmetic of an input number adds up to the number the layer reads."""
    embedding = embed(["a", "b", "a"], 5, positions=positions)
    for token, feature in np.ndindex(3, 5):
        derivation = derive_input(embedding, token, feature)
        assert derivation.recompute() == pytest.approx(embedding.inputs[token, feature], abs=1e-15)
        assert [term.value for term in derivation.terms] == [
            embedding.words[token, feature],
            embedding.positions[token, feature],
        ]


def test_a_number_that_goes_astray() -> None:
    """What `astray` names stands in the named token's row when the swap is forgotten, in the split
    and in the merge; with one head, or one token, none does.
    """
    heads = split_heads(FUSED, H)
    rows = split_without_swap(FUSED, H)[0]
    merged = merge_without_swap(heads)[0]
    for head, token, feature in np.ndindex(H, T, K):
        for split in (True, False):
            lost = astray(heads[0], head, token, feature, split=split)
            assert lost is not None
            value = heads[0, lost.head, lost.token, lost.feature]
            there = rows[:, lost.row] if split else merged[lost.row]
            assert value in there
            assert lost.row != lost.token
    assert astray(heads[0, :1], 0, 2, 0, split=True) is None
    assert astray(heads[0, :, :1], 1, 0, 0, split=False) is None
