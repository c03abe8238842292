"""The heads side by side, together, by query and by key: what is drawn is the trace."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.heads.head_averages import maximum_of_heads, mean_of_heads
from attention_viz import theme
from attention_viz.heads.head_grids import heads_grid, limit_of, of_key, of_query, together
from attention_viz.heads.head_matrices import correlations, divergences
from attention_viz.theme import Figure
from tests.viz.example_traces import CASES, example, square
from tests.viz.reading_figures import as_sent, strings
from tests.viz.reading_words import missing

FIELDS = ("scores", "scaled_scores", "masked_scores", "probabilities")


def matrices(figure: Figure) -> list[np.ndarray]:
    """The numbers of the tiles, without the grounds of masked cells."""
    return [
        part["z"]
        for part in figure["data"]
        if part["type"] == "heatmap" and part.get("colorscale") != "@mask"
    ]


def coloured(numbers: np.ndarray, hidden: np.ndarray | bool = False) -> np.ndarray:
    """What the colours should show: float32, and nothing at masked cells, whose shares are 0."""
    assert (numbers[np.broadcast_to(hidden, numbers.shape)] == 0).all()
    return np.where(np.isneginf(numbers) | hidden, np.nan, numbers).astype("f4")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("field", FIELDS)
def test_each_tile_is_its_head(field: str, case: str) -> None:
    """The chosen heads in their order, each with its own numbers, with masks, empty rows and
    biases.
    """
    trace, heads = example(case), (2, 5, 16)
    for own_scale in (False, True):
        figure = heads_grid(trace, field, heads, cell=(5, 2, 1), own_scale=own_scale)
        for head, shown in zip(heads, matrices(figure), strict=True):
            hidden = trace.hidden[0, head] & (field == "probabilities")
            np.testing.assert_array_equal(shown, coloured(getattr(trace, field)[0, head], hidden))
        as_sent(figure)


@pytest.mark.parametrize(
    ("field", "heads", "cell", "facts"),
    [
        ("query_heads", [0], (0, 0, 0), ["field", "'query_heads'", *FIELDS]),
        ("heads", [0], (0, 0, 0), ["field", "'heads'", *FIELDS]),
        ("scores", [0, 18], (0, 0, 0), ["head", 18, 0, 16]),
        ("scores", [], (0, 0, 0), ["head", "at least one"]),
        ("scores", [0], (0, 5, 0), ["query", 5, 0, 4]),
        ("scores", [0], (0, 0, -1), ["key", -1, 0, 6]),
        ("scores", [0], (0, 0), ["cell", 0, 0, "head", "query", "key"]),
    ],
)
def test_what_no_head_has(
    field: str, heads: list[int], cell: tuple[int, int, int], facts: list[float | str]
) -> None:
    """A field without a matrix of queries and keys, a head or a cell that there is not is
    answered by what there is.
    """
    with pytest.raises(SettingsError) as refused:
        heads_grid(example(), field, heads, cell=cell)
    assert missing(str(refused.value), *facts) == []


def test_scores_of_all_stages_share_one_scale() -> None:
    """Raw, scaled and masked scores have the limit of the raw ones, so that a step's effect is
    seen.
    """
    trace = example()
    assert (
        limit_of(trace, "scaled_scores")
        == limit_of(trace, "masked_scores")
        == np.abs(trace.scores).max()
    )
    assert limit_of(trace, "probabilities") == trace.probabilities.max()


def test_what_heads_give_together() -> None:
    """Mean and maximum are drawn as they were computed, in the scale of the heads."""
    trace = example("causal")
    array = trace.masked_scores[0]
    merged = {"mean": mean_of_heads(array, [0, 3]), "maximum": maximum_of_heads(array, [0, 3])}
    figure = together(trace, "masked_scores", merged, (0, 1, 1))
    for shown, numbers in zip(matrices(figure), merged.values(), strict=True):
        np.testing.assert_array_equal(shown, coloured(numbers))
    assert figure["layout"]["coloraxis"]["cmax"] == limit_of(trace, "masked_scores")
    as_sent(figure)


@pytest.mark.parametrize("case", CASES)
def test_one_query_and_one_key_in_all_heads(case: str) -> None:
    """A line per head: the row of the query, and the column of the key, with the head's cell
    framed.
    """
    trace = example(case)
    row, column = of_query(trace, 4, 3, 6), of_key(trace, 4, 3, 6)
    np.testing.assert_array_equal(
        matrices(row)[0], coloured(trace.probabilities[0, :, 3], trace.hidden[0, :, 3])
    )
    np.testing.assert_array_equal(
        matrices(column)[0], coloured(trace.probabilities[0, :, :, 6], trace.hidden[0, :, :, 6])
    )
    for figure, place in ((row, 6), (column, 3)):
        (cell,) = (
            shape for shape in figure["layout"]["shapes"] if shape["line"]["color"] == "@focus"
        )
        assert (cell["x0"], cell["y0"]) == (place - 0.5, 3.5)
        as_sent(figure)


def test_pairs_of_heads_in_order() -> None:
    """Rows and columns are put in the order, and labelled so; a head without preferences is
    marked, not coloured.
    """
    numbers = np.arange(9.0).reshape(3, 3) / 10
    numbers[1] = numbers[:, 1] = np.nan
    figure = correlations(numbers, (2, 0, 1))
    np.testing.assert_array_equal(
        matrices(figure)[0], numbers[[2, 0, 1]][:, [2, 0, 1]].astype("f4")
    )
    assert figure["layout"]["yaxis"]["categoryarray"] == ["head 2", "head 0", "head 1"]
    assert figure["layout"]["coloraxis"]["cmin"] == -1
    assert divergences(numbers, (0, 1, 2))["layout"]["coloraxis"]["cmax"] == pytest.approx(
        np.log(2)
    )
    as_sent(figure)


def test_hostile_tokens_stay_text() -> None:
    """Tokens like markup, entities or colour roles appear letter by letter; long ones are
    shortened.
    """
    figures = [
        heads_grid(example(), "scores", range(3), cell=(0, 0, 0)),
        of_query(example(), 0, 0, 0),
    ]
    for figure in figures:
        dressed = theme.coloured(figure)
        names = [
            part["categoryarray"] for axis, part in dressed["layout"].items() if axis[1:5] == "axis"
        ]
        texts = [*strings(names), *strings([part.get("text") for part in dressed["data"]])]
        for text in texts:
            assert not re.search(r"<(?!/?b>|br>)", text), text
            assert not re.search(r"&(?!amp;|lt;|gt;)", text), text
            assert "<b>bold" not in text
            assert len(text) < 120
        assert any("@query" in text for text in texts)


def test_the_size_of_what_is_sent() -> None:
    """A grid of the default size is at most 100 kB, the largest the app allows at most 1.2 MB."""
    assert (
        len(as_sent(heads_grid(square(12, 4, causal=False), "scores", range(4), cell=(0, 0, 0))))
        < 100_000
    )
    assert (
        len(as_sent(heads_grid(square(64, 16), "masked_scores", range(16), cell=(0, 0, 0))))
        < 1_200_000
    )
