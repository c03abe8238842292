"""Shared keys as a board: every line holds the shares of its kind, every head names the keys
that it reads.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.reruns import rerun
from attention_lab.heads.shared_keys import share_heads
from attention_viz.heads.compare import MAX_KEYS_FULL_SIZE, shared_keys_board, strongest_colour
from attention_viz.payload import JSON
from tests.viz.example_traces import square
from tests.viz.reading_words import numbers_said


def board(
    n_tokens: int, n_heads: int, *, causal: bool = False
) -> tuple[JSON, dict[str, np.ndarray]]:
    """The board of three kinds, and the shares that it should hold."""
    trace = square(n_tokens, n_heads, causal=causal)
    sets = {"MHA": n_heads, "GQA": 2, "MQA": 1}
    kinds = {
        name: rerun(trace, projections=share_heads(trace.projections, count))
        for name, count in sets.items()
    }
    sent = shared_keys_board(kinds, (1, 2, 0), 0.5, "GQA")
    return sent, {name: one.probabilities[0] for name, one in kinds.items()}


@pytest.mark.parametrize("causal", [False, True])
def test_every_share_is_in_its_place(causal: bool) -> None:
    sent, shares = board(5, 4, causal=causal)
    assert [panel["title"] for panel in sent["panels"]] == ["MHA", "GQA", "MQA"]
    assert [panel["place"] for panel in sent["panels"]] == [[0, 0], [0, 1], [0, 2]]
    for name, expected in shares.items():
        array = sent["arrays"][name]
        numbers = np.frombuffer(array["data"], "<f4").reshape(array["shape"])
        np.testing.assert_array_equal(numbers, expected.astype("f4"))
        assert array["limit"] == 0.5
        assert ("hatched" in array) == causal
        if causal:
            flags = np.unpackbits(np.frombuffer(array["hatched"], "u1"), bitorder="little")
            hidden = np.triu(np.ones((5, 5)), 1).astype(bool)
            np.testing.assert_array_equal(
                flags[: 4 * 25].reshape(4, 5, 5), np.broadcast_to(hidden, (4, 5, 5))
            )
    assert sent["cell"] == {"array": "GQA", "index": [1, 2, 0]}


def test_heads_name_the_keys_they_read() -> None:
    sent, _ = board(3, 4)
    named = {panel["title"]: panel["captions"] for panel in sent["panels"]}
    assert named == {
        "MHA": ["K/V 0", "K/V 1", "K/V 2", "K/V 3"],
        "GQA": ["K/V 0", "K/V 0", "K/V 1", "K/V 1"],
        "MQA": ["K/V 0"] * 4,
    }
    assert [numbers_said(panel["badge"]) for panel in sent["panels"]] == [[4], [2], [1]]


def test_many_cells_are_drawn_small() -> None:
    assert 4 * 12 <= MAX_KEYS_FULL_SIZE < 16 * 16
    assert {panel["size"] for panel in board(12, 4)[0]["panels"]} == {"full"}
    assert {panel["size"] for panel in board(16, 16)[0]["panels"]} == {"small"}


def test_the_strongest_colour_is_rarely_exceeded() -> None:
    trace = square(20, 4)
    assert (trace.probabilities > strongest_colour(trace)).mean() == pytest.approx(0.01, abs=0.001)
