"""The heads side by side, together, by query and by key: what is drawn is the trace."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from attention_core import Trace
from attention_lab.heads.all_heads import maximum_of_heads, mean_of_heads
from attention_lab.heads.one_wide_head import one_wide_head
from attention_viz.heads.all_heads import (
    combined_heads_board,
    field_limit,
    heads_grid,
    key_board,
    query_board,
)
from attention_viz.heads.similarity import correlation_board, divergence_board
from attention_viz.payload import JSON, Stage
from attention_viz.scene_formats import scene_to_bytes
from tests.viz.example_traces import CASES, example, square
from tests.viz.reading_scenes import numbers, written_and_read

FIELDS = ("scores", "scaled_scores", "masked_scores", "probabilities")


def grid(trace: Trace, field: str, heads: list[int], cell: tuple[int, int, int]) -> JSON:
    """The board of some heads, as a browser reads it."""
    return written_and_read(heads_grid(Stage(trace), field, heads, cell=cell))


def flags(array: JSON, name: str) -> np.ndarray:
    """Which cells are flagged."""
    bits = np.unpackbits(np.frombuffer(array[name], "u1"), bitorder="little")
    return bits[: np.prod(array["shape"])].reshape(array["shape"]).astype(bool)


@pytest.mark.parametrize(
    ("field", "case"), [*product(FIELDS, ["no mask"]), *product(["probabilities"], CASES)]
)
def test_each_tile_is_its_head(field: str, case: str) -> None:
    trace = example(case)
    board = grid(trace, field, [2, 5, 16], (5, 2, 1))
    array, (panel,) = board["arrays"][field], board["panels"]
    np.testing.assert_array_equal(numbers(array), getattr(trace, field).astype("f4"))
    if field == "probabilities" and trace.hidden.any():
        np.testing.assert_array_equal(flags(array, "hatched"), trace.hidden)
    assert panel["only"] == [2, 5, 16]
    assert (panel["tiles"], panel["rows"], panel["columns"]) == (1, 2, 3)
    assert board["cell"] == {"array": field, "index": [0, 5, 2, 1]}
    assert board["axes"]["S"]["labels"] == list(trace.labels("S"))
    assert array["limit"] == pytest.approx(field_limit(trace, field), rel=1e-5)
    scale = "share" if field == "probabilities" else "score"
    masked = ["masked"] if "masked" in array or "hatched" in array else []
    assert [part["scale"] for part in board["legend"]] == [scale, *masked]


def test_a_focus_on_a_head_that_is_not_chosen() -> None:
    assert grid(example(), "scores", [2, 5], (3, 2, 1))["cell"]["index"] == [0, 2, 2, 1]
    assert "only" not in grid(example(), "scores", list(range(17)), (3, 2, 1))["panels"][0]


def test_each_head_its_own_scale() -> None:
    trace = example()
    board = heads_grid(Stage(trace, own_scale=True), "scores", [0, 1], cell=(0, 0, 0))
    limits = board["arrays"]["scores"]["limit"]
    assert limits["axis"] == 1
    np.testing.assert_allclose(
        limits["values"], np.abs(trace.scores[0]).max(axis=(1, 2)), atol=1e-6
    )


def test_scores_of_all_stages_share_one_scale() -> None:
    trace = example()
    assert (
        field_limit(trace, "scaled_scores")
        == field_limit(trace, "masked_scores")
        == np.abs(trace.scores).max()
    )
    assert field_limit(trace, "probabilities") == trace.probabilities.max()


@pytest.mark.parametrize("field", ["scores", "probabilities"])
def test_one_wide_head_beside_the_others(field: str) -> None:
    trace = square(7, 3)
    one = one_wide_head(trace)
    board = written_and_read(heads_grid(Stage(trace), field, [0, 2], cell=(2, 1, 0), one_head=one))
    alone, heads = board["arrays"]["one head"], board["arrays"][field]
    np.testing.assert_array_equal(numbers(alone), getattr(one, field).astype("f4"))
    assert alone["limit"] == heads["limit"]
    assert alone["limit"] == pytest.approx(
        max(field_limit(one, field), field_limit(trace, field)), rel=1e-5
    )
    assert [panel["array"] for panel in board["panels"]] == ["one head", field]
    assert [panel.get("only") for panel in board["panels"]] == [None, [0, 2]]
    assert "H" not in alone["axes"], "a click there leaves the head in focus"


def test_mean_and_maximum() -> None:
    trace = example("causal")
    array = trace.masked_scores[0]
    merged = {"mean": mean_of_heads(array, [0, 3]), "maximum": maximum_of_heads(array, [0, 3])}
    board = written_and_read(combined_heads_board(trace, "masked_scores", merged, (0, 1, 1)))
    for name, shown in merged.items():
        sent = board["arrays"][name]
        np.testing.assert_array_equal(numbers(sent), shown.astype("f4"))
        assert sent["limit"] == pytest.approx(field_limit(trace, "masked_scores"), rel=1e-5)


@pytest.mark.parametrize("case", ["no mask", "causal"])
def test_one_query_and_one_key_in_all_heads(case: str) -> None:
    trace = example(case)
    row = written_and_read(query_board(trace, 4, 3, 6))
    column = written_and_read(key_board(trace, 4, 3, 6))
    for board, shares, hidden, place in (
        (row, trace.probabilities[0, :, 3], trace.hidden[0, :, 3], 6),
        (column, trace.probabilities[0, :, :, 6], trace.hidden[0, :, :, 6], 3),
    ):
        (array,) = board["arrays"].values()
        np.testing.assert_array_equal(numbers(array), shares.astype("f4"))
        assert board["cell"]["index"] == [4, place]
        assert ("hatched" in array) == bool(hidden.any())


def test_pairs_of_heads_in_order() -> None:
    values = np.arange(9.0).reshape(3, 3) / 10
    values[1] = values[:, 1] = np.nan
    scene = written_and_read(correlation_board(values, (2, 0, 1)))
    (array,) = scene["arrays"].values()
    ordered = np.nan_to_num(values[[2, 0, 1]][:, [2, 0, 1]], nan=-np.inf)
    np.testing.assert_array_equal(numbers(array), ordered.astype("f4"))
    assert {tuple(axis["labels"]) for axis in scene["axes"].values()} == {
        ("head 2", "head 0", "head 1")
    }
    (divergence,) = divergence_board(values, (0, 1, 2))["arrays"].values()
    assert (array["limit"], divergence["limit"]) == (1, pytest.approx(np.log(2), rel=1e-5))


def test_the_most_similar_pair_is_lit() -> None:
    distances = np.array([[0, 0.5, 0.1], [0.5, 0, 0.4], [0.1, 0.4, 0]])
    assert divergence_board(distances, (1, 2, 0))["cell"]["index"] in ([1, 2], [2, 1])
    assert correlation_board(1 - distances, (0, 1, 2))["cell"]["index"] in ([0, 2], [2, 0])


def test_the_size_of_what_is_sent() -> None:
    usual = heads_grid(Stage(square(12, 4, causal=False)), "scores", range(4), cell=(0, 0, 0))
    assert len(scene_to_bytes(usual)) < 10_000
    largest = heads_grid(Stage(square(64, 16)), "masked_scores", range(16), cell=(0, 0, 0))
    assert len(scene_to_bytes(largest)) < 300_000
