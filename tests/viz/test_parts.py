"""The pieces of charts: margins hold their labels, and axes their names."""

from __future__ import annotations

import pytest

from attention_viz.labels import label_width
from attention_viz.parts import MAX_BAR_NAMES, figure_margins, label_layout, named_axis


@pytest.mark.parametrize("labels", [["it"], ["it", "internationa…"], ["動物動物"]])
def test_the_left_margin_holds_the_labels(labels: list[str]) -> None:
    sides = figure_margins(labels, l=20, r=3, t=5, b=7)
    assert sides["l"] >= max(20, label_width(labels))
    assert (sides["r"], sides["t"], sides["b"]) == (3, 5, 7)
    assert figure_margins([], l=4, r=0, t=0, b=0)["l"] == 4


def test_long_labels_below_are_slanted_and_get_room() -> None:
    assert label_layout(["a", "the"]) == (0, 18)
    (angle, room), (_, more) = label_layout(["cross"]), label_layout(["internationa…"])
    assert angle == -45
    assert 18 < room < more


def test_of_many_names_not_all_are_written() -> None:
    few, many = (named_axis(["a"] * n)[0] for n in (MAX_BAR_NAMES, MAX_BAR_NAMES + 1))
    assert (few["dtick"], "nticks" in few) == (1, False)
    assert (many["nticks"], "dtick" in many) == (MAX_BAR_NAMES // 2, False)
    assert (few["fixedrange"], few["type"], few["tickangle"]) == (True, "category", 0)
