"""Where numbers lie in split and merge, and which are misplaced without the swap."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, SettingsError, Trace, attend, split_heads
from attention_lab.heads.layout_mistakes import (
    find_misplaced,
    merge_without_swap,
    merged_position,
    split_positions,
    split_without_swap,
    wrong_merged_cells,
    wrong_token_cells,
)
from attention_lab.words.embeddings import derive_input, embed
from tests.lab.refusal import refused
from tests.lab.small_layer import SELF_LAYERS

B, T, H, K = 2, 5, 3, 7
FUSED = np.arange(B * T * H * K).reshape(B, T, H * K)
LAYERS = pytest.mark.parametrize("trace", SELF_LAYERS, ids=["plain", "everything"])


@pytest.mark.parametrize("place", [(0, 0, 0, 0), (1, 4, 2, 6), (0, 3, 1, 5)])
def test_every_place_of_the_split_holds_the_same_number(place: tuple[int, int, int, int]) -> None:
    batch, token, head, feature = place
    places = split_positions((B, H, T, K), head, token, feature, batch)
    value = FUSED[places.fused]
    assert FUSED.reshape(B, T, H, K)[places.reshaped] == value
    assert split_heads(FUSED, H)[places.swapped] == value
    assert split_without_swap(FUSED, H)[places.unswapped] == value


def test_wrong_token_cells() -> None:
    origin = split_without_swap(FUSED[:1], H)[0] // (H * K)
    np.testing.assert_array_equal(wrong_token_cells(T, H, K), origin != np.arange(T)[:, np.newaxis])


@pytest.mark.parametrize(("n_tokens", "n_heads"), [(5, 1), (1, 3)])
def test_nothing_is_misplaced_with_one_head_or_one_token(n_tokens: int, n_heads: int) -> None:
    assert not wrong_token_cells(n_tokens, n_heads, K).any()
    layer = attend(np.eye(n_tokens, 6), Projections.random(6, n_heads))
    assert not wrong_merged_cells(layer).any()


@pytest.mark.parametrize("positions", [True, False])
def test_an_input_is_the_word_plus_the_position(positions: bool) -> None:
    embedding = embed(["a", "b", "a"], 5, positions=positions)
    for token, feature in np.ndindex(3, 5):
        derivation = derive_input(embedding, token, feature)
        assert derivation.recompute() == pytest.approx(embedding.inputs[token, feature], abs=1e-15)
        assert [term.value for term in derivation.terms] == [
            embedding.words[token, feature],
            embedding.positions[token, feature],
        ]


def test_a_misplaced_number() -> None:
    heads = split_heads(FUSED, H)
    rows = split_without_swap(FUSED, H)[0]
    merged = merge_without_swap(heads)[0]
    for head, token, feature in np.ndindex(H, T, K):
        for split in (True, False):
            lost = find_misplaced(heads[0], head, token, feature, split=split)
            assert lost is not None
            value = heads[0, lost.head, lost.token, lost.feature]
            there = rows[:, lost.row] if split else merged[lost.row]
            assert value in there
            assert lost.row != lost.token
    assert find_misplaced(heads[0, :1], 0, 2, 0, split=True) is None
    assert find_misplaced(heads[0, :, :1], 1, 0, 0, split=False) is None


def test_a_reshape_without_the_swap_by_hand() -> None:
    fused = np.arange(8).reshape(1, 2, 4)
    assert split_without_swap(fused, 2).tolist() == [[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]]
    assert split_heads(fused, 2).tolist() == [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]


@LAYERS
def test_every_number_lands_at_its_merged_position(trace: Trace) -> None:
    wrong = merge_without_swap(trace.head_outputs)[0]
    for head, query, feature in np.ndindex(3, 7, 5):
        number = trace.head_outputs[0, head, query, feature]
        assert trace.merged[0][merged_position(trace, head, query, feature)] == number
        assert wrong[merged_position(trace, head, query, feature, swap=False)] == number


@LAYERS
def test_wrong_merged_cells_are_those_that_differ(trace: Trace) -> None:
    moved = wrong_merged_cells(trace)
    assert {(int(t), int(c) // 5) for t, c in np.argwhere(~moved)} == {(0, 0), (3, 1), (6, 2)}
    assert moved.sum() == 7 * 15 - 3 * 5


def test_cells_that_do_not_fit_into_memory_are_refused() -> None:
    with refused(SettingsError, "n_tokens", 10**9):
        wrong_token_cells(10**9, 2, 2)
