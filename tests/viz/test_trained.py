"""Pictures of the section on trained models: what they draw is what was computed."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import ChangedWord
from attention_lab.trained.head_measures import MeasuredHeads
from attention_viz.thumbnails import max_tokens_sent, thumbnails, window_around
from attention_viz.trained.heads import attention_alone, best_heads, changed_word_board
from attention_viz.trained.measures import heads_matrix, measure_by_layer
from tests.viz.reading_scenes import numbers, sent, written_and_read

L, H, T = 2, 3, 5
TOKENS = tuple("abcde")
SHARES = np.random.default_rng(5).dirichlet(np.ones(T), size=(2, L, H, T)).astype("f4")
VALUES = np.array([[0.5, -1.0, 2.0], [np.nan, 0.25, 3.0]])
KEYS = tuple("tuvwxyz")
NUMBERS = np.random.default_rng(5).dirichlet(np.ones(len(KEYS)), size=(L, H, T)).astype("f4")
LABELS = (TOKENS, KEYS)


def test_one_number_for_each_head() -> None:
    board = heads_matrix(VALUES, (1, 2), "margin")
    hidden = np.nan_to_num(VALUES, nan=-np.inf).astype("f4")
    assert np.array_equal(sent(board, "ranking"), hidden)
    assert (board["arrays"]["ranking"]["kind"], board["cell"]["index"]) == ("logit", [1, 2])
    share = heads_matrix(np.ones((1, 1)), (0, 0), "share", shares=True)
    assert share["arrays"]["ranking"]["kind"] == "probability"


def test_the_best_heads_by_name() -> None:
    board = best_heads(AttentionMaps.of(SHARES[0], TOKENS), [(1, 2, 0.75), (0, 0, 0.5)], (3, 4))
    assert list(board["arrays"]) == ["head 1 2", "head 0 0"]
    assert np.array_equal(sent(board, "head 1 2"), SHARES[0, 1, 2])
    assert board["panels"][0]["title"] == "layer 1, head 2"
    assert board["panels"][0]["badge"] == "75.0 %"
    assert board["cell"] == {"array": "head 1 2", "index": [3, 4]}


def test_pieces_of_one_word_belong_together() -> None:
    pieces = (" a", " f", "rog", " sa", "d")
    boards = (
        thumbnails(tuple(SHARES[0]), (pieces, pieces)),
        best_heads(AttentionMaps.of(SHARES[0], pieces), [(1, 2, 0.75)], (3, 4)),
    )
    for board in boards:
        named = [axis for axis in board["axes"].values() if axis["labels"]]
        assert [axis["labels"] for axis in named] == [["a", "f", "rog", "sa", "d"]] * 2
        assert [axis["continued"] for axis in named] == [[2, 4]] * 2


def test_dots_and_means() -> None:
    figure = measure_by_layer(MeasuredHeads(VALUES, np.array([1.0, 1.5])), "itself")
    means, dots, even = figure["data"]
    assert means["y"] == pytest.approx([0.5, 1.625])
    assert dots["y"] == [0.5, -1.0, 2.0, None, 0.25, 3.0]
    assert np.round(dots["x"]).tolist() == [0, 0, 0, 1, 1, 1]
    assert dots["customdata"] == ["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"]
    assert even["y"].tolist() == [1.0, 1.5]
    assert figure["layout"]["meta"]["description"].endswith(".")


def test_before_after_and_the_difference() -> None:
    change = ChangedWord(SHARES[0], SHARES[1], TOKENS, (*TOKENS[:2], "X", *TOKENS[3:]), 2)
    board = changed_word_board(change, 1, 0, 3, 2)
    name = "after minus before"
    assert np.array_equal(sent(board, "before"), SHARES[0, 1, 0])
    np.testing.assert_allclose(sent(board, name), SHARES[1, 1, 0] - SHARES[0, 1, 0], atol=1e-7)
    assert board["rules"][name]["operation"] == "difference"
    assert [read["array"] for read in board["rules"][name]["reads"]] == ["after", "before"]
    assert board["cell"] == {"array": name, "index": [3, 2]}
    letters = {array["axes"][0] for array in board["arrays"].values()}
    labels = {tuple(board["axes"][letter]["labels"]) for letter in letters}
    assert labels == {change.tokens_before, change.tokens_after}


def test_every_head_is_sent_whole() -> None:
    board = thumbnails(tuple(NUMBERS), LABELS, (1, 2, 3, 4), "Heads.")
    assert list(board["arrays"]) == ["layer 0", "layer 1"]
    for layer in range(L):
        assert np.array_equal(numbers(board["arrays"][f"layer {layer}"]), NUMBERS[layer])
        assert board["panels"][layer]["place"] == [0, layer]
    assert board["cell"] == {"array": "layer 1", "index": [2, 3, 4]}
    assert [board["axes"][letter]["labels"] for letter in "TS"] == [list(TOKENS), list(KEYS)]
    written_and_read(board)


def test_scales_of_colours() -> None:
    gaps = tuple(NUMBERS - NUMBERS[::-1])
    none, shared, own = (
        board["arrays"]["layer 1"]["limit"]
        for board in (
            thumbnails(tuple(NUMBERS), LABELS),
            thumbnails(gaps, LABELS, kind="logit"),
            thumbnails(gaps, LABELS, kind="logit", own_scale=True),
        )
    )
    assert none is None
    assert shared == pytest.approx(float(np.abs(gaps).max()))
    assert own["axis"] == 0
    assert own["values"] == pytest.approx(np.abs(gaps[1]).max(axis=(1, 2)).tolist(), abs=1e-6)


def test_of_a_long_sequence_the_part_around_the_cell_is_sent() -> None:
    labels = ([str(i) for i in range(130)],) * 2
    shares = np.random.default_rng(6).random((2, 130, 130)).astype("f4")
    array = thumbnails((shares,), labels, (0, 1, 70, 129), "Heads.")["arrays"]["layer 0"]
    assert (array["start"], array["whole"]) == ([0, 64, 128], [2, 130, 130])
    assert np.array_equal(numbers(array), shares[:, 64:128, 128:])
    alone = attention_alone(shares[1], labels, 70, 3)
    assert alone["arrays"]["attention"]["start"] == [64, 0]
    assert alone["cell"]["index"] == [70, 3]


@pytest.mark.parametrize("n_heads", [1, 72, 144, 1152, 4096])
def test_what_is_sent_is_bounded(n_heads: int) -> None:
    side = max_tokens_sent(n_heads)
    assert 1 <= side <= 64
    assert n_heads * side**2 <= 300_000
    for place in (0, 63, 64, 511):
        part = window_around(512, place, side)
        assert part.start <= place < part.stop <= 512
