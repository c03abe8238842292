"""The words around a heatmap: hover texts, labels, descriptions; and that tokens stay text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS
from attention_viz.heatmap import heads_grid, heatmap
from attention_viz.labels import number, short
from attention_viz.theme import dress
from attention_viz.tiles import MOST_TICKS
from tests.viz.example_traces import example, square
from tests.viz.reading_figures import markers_of, strings

PER_HEAD = [name for name, step in STEPS.items() if step.per_head]
BIG = square(67)  # 2 heads of 67 × 67: too many for labels


@pytest.mark.parametrize("field", STEPS)
def test_hover_texts_hold_the_number(field: str) -> None:
    """Each cell's hover names its row, its column and its true number, and its click carries head, row and column."""
    trace = example("causal")
    markers = markers_of(heatmap(trace, field, head=4))
    array = getattr(trace, field)[0]
    per_head = STEPS[field].per_head
    matrix = array[4] if per_head else array
    assert len(markers["text"]) == matrix.size
    for text, x, y, (head, row, column) in zip(*(markers[k] for k in ("text", "x", "y", "customdata")), strict=True):
        assert (x, y, head) == (column, row, 4 if per_head else -1)
        assert f"<b>{number(float(matrix[row, column]), 4)}</b>" in text
        assert short(trace.labels(trace.axes(field)[-2])[row]) in text
    assert {tuple(place[1:]) for place in markers["customdata"]} == set(np.ndindex(*matrix.shape))


@pytest.mark.parametrize("draw", [heatmap, heads_grid])
def test_labels_are_at_their_cells(draw: Any) -> None:
    """Every tick carries the token of the row or column it stands at; nothing is labelled where it cannot be read."""
    trace = square(13)
    layout = draw(trace, "scores")["layout"]
    for axis in ("xaxis", "yaxis"):
        ticks = dict(zip(layout[axis]["tickvals"], layout[axis]["ticktext"], strict=True))
        assert [ticks[i] for i in range(13)] == list(trace.tokens)
    assert draw(BIG, "scores")["layout"]["xaxis"] | {"showticklabels": False} == draw(BIG, "scores")["layout"]["xaxis"]
    assert MOST_TICKS < 67


def test_columns_of_a_wide_matrix_are_head_and_feature() -> None:
    """Where heads lie side by side, a column is named head·feature."""
    ticks = heatmap(square(5), "queries")["layout"]["xaxis"]["ticktext"]
    assert ticks == ["0·0", "0·1", "0·2", "1·0", "1·1", "1·2"]


@pytest.mark.parametrize("field", STEPS)
def test_hostile_tokens_stay_text(field: str) -> None:
    """Tokens like markup, entities, templates or colour roles appear letter by letter; long ones are shortened."""
    for figure in [heatmap(example(), field, head=1), *([heads_grid(example(), field)] if field in PER_HEAD else [])]:
        dressed = dress(figure)
        texts = [text for trace in dressed["data"] for text in strings([trace.get("text"), trace.get("name")])]
        layout = dressed["layout"]
        texts += [text for text in strings([layout["annotations"], layout["xaxis"], layout["yaxis"]]) if text]
        for text in texts:
            assert not re.search(r"<(?!/?b>|br>)", text), text
            assert not re.search(r"&(?!amp;|lt;|gt;)", text), text
            assert "<b>bold" not in text
            assert len(text) < 120
        assert "@query" in layout["yaxis"].get("ticktext", ["@query"])
        assert not any("%{customdata}" in str(trace.get("hovertemplate")) for trace in dressed["data"])


@pytest.mark.parametrize("field", STEPS)
def test_the_description(field: str) -> None:
    """The accessible name is one sentence with the field, the size and where the largest value is."""
    trace = example(tokens=tuple("abcdefg"))
    text = heatmap(trace, field, head=2)["layout"]["meta"]["description"]
    array = getattr(trace, field)[0]
    matrix = array[2] if STEPS[field].per_head else array
    n_rows, n_columns = matrix.shape
    assert STEPS[field].title in text
    assert f"{n_rows} rows" in text
    assert f"{n_columns} columns" in text
    assert number(float(matrix.max())) in text
    assert text.endswith(".")
