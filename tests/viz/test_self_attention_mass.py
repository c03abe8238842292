"""The boards and bars of the diagonal laboratory: outlined cells, margins and the Gram matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.diagonal.measures import diagonal_margins, pair_violations
from attention_lab.diagonal.settings import DiagonalSettings, settings_of_numbers, trace_of_settings
from attention_viz.diagonal.self_attention_mass import diagonal_board, margin_bars, plane_board
from attention_viz.payload import JSON
from tests.viz.reading_figures import as_sent
from tests.viz.reading_scenes import written_and_read

SPREAD = DiagonalSettings(tokens="drawn", n_tokens=5, d_model=2, spread=1.5)
WORDS = DiagonalSettings(text="<b>we like & tea", d_model=3)


def sent(scene: JSON, name: str) -> np.ndarray:
    """A matrix of a board as a browser reads it."""
    array = scene["arrays"][name]
    return np.frombuffer(array["data"], "<f4").reshape(array["shape"])


def outlined(scene: JSON) -> np.ndarray:
    """Which probabilities are outlined."""
    array = scene["arrays"]["probabilities"]
    if "changed" not in array:
        return np.zeros(array["shape"], dtype=bool)
    flags = np.unpackbits(np.frombuffer(array["changed"], "u1"), bitorder="little")
    return flags[: np.prod(array["shape"])].reshape(array["shape"]).astype(bool)


@pytest.mark.parametrize(
    "scene", [SPREAD, settings_of_numbers("1; 2; 3"), WORDS, replace(SPREAD, causal=True)]
)
def test_cells_that_break_the_bound_are_outlined(scene: DiagonalSettings) -> None:
    trace = trace_of_settings(scene)
    board = diagonal_board(trace, (0, 0))
    board = written_and_read(board)
    shares = trace.probabilities[0, 0]
    np.testing.assert_array_equal(sent(board, "probabilities"), shares.astype("f4"))
    np.testing.assert_array_equal(outlined(board), pair_violations(shares))
    assert board["rules"]["probabilities"]["operation"] == "softmax"
    assert [panel["array"] for panel in board["panels"]] == ["probabilities"]


def test_one_two_three_has_one_outlined_cell() -> None:
    assert np.argwhere(
        outlined(diagonal_board(trace_of_settings(settings_of_numbers("1; 2; 3")), (0, 1)))
    ).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "scene",
    [
        SPREAD,
        replace(SPREAD, causal=True),
        WORDS,
        settings_of_numbers("2"),
        DiagonalSettings(text="a b " * 32),
    ],
)
def test_margin_bars_are_the_margins(scene: DiagonalSettings) -> None:
    trace = trace_of_settings(scene)
    expected, figure = diagonal_margins(trace.masked_scores[0, 0]), margin_bars(trace, 0)
    as_sent(figure)
    drawn = {int(y): x for bar in figure["data"] for y, x in zip(bar["y"], bar["x"], strict=True)}
    finite = np.flatnonzero(np.isfinite(expected))
    assert drawn == {int(i): np.float32(expected[i]) for i in finite}
    assert all(
        (bar["x"] >= 0).all() == (bar["marker"]["color"] == "@primary")
        for bar in figure["data"]
        if len(bar["x"])
    )
    assert [note["y"] for note in figure["layout"]["annotations"]] == np.flatnonzero(
        ~np.isfinite(expected)
    ).tolist()


def test_names_of_tokens_are_text() -> None:
    assert "<b>we" not in as_sent(margin_bars(trace_of_settings(WORDS), 3))


def test_the_board_of_the_plane() -> None:
    trace = trace_of_settings(settings_of_numbers("3,4; 0,2"))
    board = plane_board(trace, (0, 1))
    assert sent(board, "gram").tolist() == [[25, 8], [8, 4]]
    assert board["rules"]["gram"]["length"] == 2
    # What the shares are made from is named by how it comes from what is drawn.
    assert board["arrays"]["scores"]["title"] == "X Xᵀ / √2"
    np.testing.assert_allclose(
        sent(board, "scores"), np.array([[25, 8], [8, 4]]) / 2**0.5, rtol=1e-6
    )
    assert len(set(board["arrays"]["gram"]["axes"])) == 2
