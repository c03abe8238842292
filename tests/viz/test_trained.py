"""Pictures of the section on trained heads: what they draw is what was computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.trained.added_parts import AddedParts
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import ChangedWord
from attention_lab.trained.encoded_text import WeightlessAttention
from attention_lab.trained.layers import LAYER_MEASURES, MeasuredHeads
from attention_viz.trained.heads import best_heads, changed_word_board
from attention_viz.trained.layers import (
    added_parts_board,
    heads_matrix,
    measure_by_layer,
    weightless_board,
)

L, H, T = 2, 3, 5
TOKENS = tuple("abcde")
SHARES = np.random.default_rng(5).dirichlet(np.ones(T), size=(2, L, H, T)).astype("f4")
VALUES = np.array([[0.5, -1.0, 2.0], [np.nan, 0.25, 3.0]])


def sent(board: dict[str, Any], name: str) -> np.ndarray:
    """The numbers of one of a board's arrays."""
    array = board["arrays"][name]
    return np.frombuffer(array["data"], "<f4").reshape(array["shape"])


def test_one_number_for_each_head() -> None:
    board = heads_matrix(VALUES, (1, 2), "margin")
    assert np.array_equal(sent(board, "ranking"), np.nan_to_num(VALUES).astype("f4"))
    assert board["arrays"]["ranking"]["masked"]
    assert (board["arrays"]["ranking"]["kind"], board["cell"]["index"]) == ("logit", [1, 2])
    assert (
        heads_matrix(np.ones((1, 1)), (0, 0), "share", shares=True)["arrays"]["ranking"]["kind"]
        == "probability"
    )


def test_the_best_heads_by_name() -> None:
    board = best_heads(AttentionMaps.of(SHARES[0], TOKENS), [(1, 2, 0.75), (0, 0, 0.5)], (3, 4))
    assert list(board["arrays"]) == ["head 1 2", "head 0 0"]
    assert np.array_equal(sent(board, "head 1 2"), SHARES[0, 1, 2])
    assert board["panels"][0]["title"] == "layer 1, head 2"
    assert board["panels"][0]["badge"] == "75.0 %"
    assert board["cell"] == {"array": "head 1 2", "index": [3, 4]}


def test_dots_and_means() -> None:
    figure = measure_by_layer(
        MeasuredHeads(LAYER_MEASURES["self_mass"], VALUES, np.array([1.0, 1.5]))
    )
    means, dots, even = figure["data"]
    assert means["y"] == pytest.approx([0.5, 1.625])
    assert dots["y"] == [0.5, -1.0, 2.0, None, 0.25, 3.0]
    assert np.round(dots["x"]).tolist() == [0, 0, 0, 1, 1, 1]
    assert dots["customdata"] == ["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"]
    assert even["y"] == [1.0, 1.5]
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
    labels = {array["axes"][0] for array in board["arrays"].values()}
    assert {tuple(board["axes"][letter]["labels"]) for letter in labels} == {
        change.tokens_before,
        change.tokens_after,
    }


def test_weightless_beside_a_trained_head() -> None:
    x = np.random.default_rng(8).normal(size=(T, 4))
    trace = attend(x, Projections.weightless(4)).labelled(TOKENS)
    kinds = [
        WeightlessAttention(name, trace, 1.0, 0.0, 0.5)
        for name in ("words", "words and positions", "after LayerNorm")
    ]
    board = weightless_board(kinds, SHARES[0, 0, 0], "layer 0, head 0", (0, 1))
    assert list(board["arrays"]) == ["words", "words and positions", "after LayerNorm", "trained"]
    assert np.array_equal(sent(board, "words"), trace.probabilities[0, 0].astype("f4"))
    assert np.array_equal(sent(board, "trained"), SHARES[0, 0, 0])


def test_what_layers_add_is_drawn_as_measured() -> None:
    attention, fed = np.array([[0.5, 2.0], [0.0, 1.0]]), np.array([[1.0, 0.5], [0.0, 3.0]])
    scene = added_parts_board(AddedParts(("a", "b"), attention, fed), (1, 1))
    np.testing.assert_array_equal(sent(scene, "attention"), attention)
    np.testing.assert_array_equal(sent(scene, "feed-forward"), fed)
    np.testing.assert_allclose(sent(scene, "share"), [[1 / 3, 0.8], [0, 0.25]], rtol=1e-6)
    assert scene["arrays"]["share"]["masked"]
    assert scene["cell"] == {"array": "share", "index": [1, 1]}
    assert {scene["arrays"][name]["limit"] for name in ("attention", "feed-forward")} == {3.0}
