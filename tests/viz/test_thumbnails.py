"""The heads of all layers as one board: every number that is sent is one of the layers', in its
place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_viz.thumbnails import max_tokens_sent, thumbnails, window_around
from attention_viz.trained.one_head import attention_alone
from tests.viz.reading_scenes import written_and_read

L, H, T, S = 2, 3, 5, 7
QUERIES, KEYS = tuple("abcde"), tuple("tuvwxyz")
NUMBERS = np.random.default_rng(5).dirichlet(np.ones(S), size=(L, H, T)).astype("f4")


def sent(array: dict[str, Any]) -> np.ndarray:
    """The numbers of an array as the board decodes them."""
    return np.frombuffer(array["data"], "<f4").reshape(array["shape"])


def test_every_head_is_sent_whole() -> None:
    board = thumbnails(tuple(NUMBERS), (QUERIES, KEYS), (1, 2, 3, 4), "Heads.")
    assert list(board["arrays"]) == ["layer 0", "layer 1"]
    for layer in range(L):
        assert np.array_equal(sent(board["arrays"][f"layer {layer}"]), NUMBERS[layer])
        assert board["panels"][layer]["place"] == [0, layer]
    assert board["cell"] == {"array": "layer 1", "index": [2, 3, 4]}
    assert board["axes"]["T"]["labels"] == list(QUERIES)
    assert board["axes"]["S"]["labels"] == list(KEYS)
    board = written_and_read(board)


def test_scales_of_colours() -> None:
    labels = (QUERIES, KEYS)
    assert {array["limit"] for array in thumbnails(tuple(NUMBERS), labels)["arrays"].values()} == {
        None
    }
    gaps = NUMBERS - NUMBERS[::-1]
    shared = thumbnails(tuple(gaps), labels, kind="logit")["arrays"]["layer 0"]["limit"]
    assert shared == pytest.approx(float(np.abs(gaps).max()))
    own = thumbnails(tuple(gaps), labels, kind="logit", own_scale=True)["arrays"]["layer 1"][
        "limit"
    ]
    assert own["axis"] == 0
    assert own["values"] == pytest.approx(np.abs(gaps[1]).max(axis=(1, 2)).tolist(), abs=1e-6)


def test_of_a_long_sequence_the_part_around_the_cell_is_sent() -> None:
    n_tokens, labels = 130, [str(i) for i in range(130)]
    numbers = np.random.default_rng(6).random((2, n_tokens, n_tokens)).astype("f4")
    array = thumbnails((numbers,), (labels, labels), (0, 1, 70, 129), "Heads.")["arrays"]["layer 0"]
    assert (array["start"], array["whole"], array["shape"]) == (
        [0, 64, 128],
        [2, 130, 130],
        [2, 64, 2],
    )
    assert np.array_equal(sent(array), numbers[:, 64:128, 128:])
    alone = attention_alone(numbers[1], (labels, labels), 70, 3)
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
