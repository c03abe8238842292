"""The picture of what can run at once: every box and every line of the schedule, and no other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.heads.counts import LayerSize
from attention_lab.heads.parallel_heads import RunTimes, ThreadRuns
from attention_lab.heads.schedule import schedule
from attention_lab.notation.notation import OURS
from attention_viz.heads.count_figures import thread_times
from attention_viz.heads.schedule import MAX_DRAWN_HEADS, drawn_heads, schedule_figure
from attention_viz.theme import Figure
from tests.viz.reading_figures import as_sent


def plan_of(n_heads: int, n_kv_heads: int, **options: Any) -> Any:
    """The schedule of a layer of seven tokens."""
    weights = Projections.random(12, n_heads, n_kv_heads=n_kv_heads)
    return schedule(attend(np.random.default_rng(3).normal(size=(7, 12)), weights, **options))


def marks(figure: Figure) -> list[tuple[int, str]]:
    """The moment of each box, and its hover text."""
    return [
        (x, text)
        for part in figure["data"]
        if "text" in part
        for x, text in zip(part["x"], part["text"], strict=True)
    ]


def ways(figure: Figure) -> list[list[tuple[float, float]]]:
    """The corners of each line."""
    found = []
    for part in figure["data"]:
        if part["mode"] == "lines":
            corners: list[tuple[float, float]] = []
            for x, y in zip(part["x"], part["y"], strict=True):
                if x is None:
                    found.append(corners)
                    corners = []
                else:
                    corners.append((x, y))
    return found


@pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "options"), [(4, 2, {"causal": True}), (4, 1, {"residual": True})]
)
def test_every_box_and_every_wait_is_drawn(
    n_heads: int, n_kv_heads: int, options: dict[str, Any]
) -> None:
    plan = plan_of(n_heads, n_kv_heads, **options)
    figure = schedule_figure(plan, OURS)
    drawn = marks(figure)
    assert [x for x, _ in drawn] == [box.moment for box in plan.boxes]
    for (_, text), box in zip(drawn, plan.boxes, strict=True):
        assert f"multiplications: {box.multiplications:,}" in text
        assert text.count(",") >= len(box.waits_for) - 1
    assert len(figure["layout"]["shapes"]) == len(plan.boxes)
    lines = ways(figure)
    assert len(lines) == sum(len(box.waits_for) for box in plan.boxes)
    for corners in lines:
        assert corners[0][0] < corners[-1][0]
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(corners))
    as_sent(figure)


def frames(figure: Figure) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of each box."""
    found = []
    for shape in figure["layout"]["shapes"]:
        left, rest = shape["path"][1:].split(",")
        top, rest = rest.split("H", 1)
        right, rest = rest.split("V")
        found.append((float(left), float(right), float(top), float(rest.split("H")[0])))
    return found


@pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "options"),
    [(4, 2, {"residual": True}), (4, 1, {"causal": True}), (12, 3, {"residual": True})],
)
def test_no_line_crosses_a_box(n_heads: int, n_kv_heads: int, options: dict[str, Any]) -> None:
    figure = schedule_figure(plan_of(n_heads, n_kv_heads, **options), OURS)
    boxes = frames(figure)
    for left, right, top, bottom in boxes:
        for corners in ways(figure):
            for (x0, y0), (x1, y1) in pairwise(corners):
                apart = max(x0, x1) <= left + 1e-9 or min(x0, x1) >= right - 1e-9
                assert apart or max(y0, y1) <= top or min(y0, y1) >= bottom
        others = [one for one in boxes if one != (left, right, top, bottom)]
        assert len(others) == len(boxes) - 1
        assert all(b <= left or a >= right or d <= top or c >= bottom for a, b, c, d in others)


def test_many_heads_are_drawn_in_part() -> None:
    assert drawn_heads(MAX_DRAWN_HEADS) == (0, 1, 2, 3, 4)
    assert drawn_heads(12) == (0, 1, 2, 11)
    figure = schedule_figure(plan_of(12, 12), OURS)
    (scores,) = [part for part in figure["data"] if part.get("name") == "scores"]
    assert len(scores["x"]) == 4
    assert any("not drawn: 8" in note["text"] for note in figure["layout"]["annotations"])
    as_sent(figure)


def test_medians_are_drawn_as_measured() -> None:
    found = [
        ThreadRuns(
            LayerSize(n, 12, 3, 3, 4, 4),
            {"a": RunTimes(1, n / 1000, 3), "b": RunTimes(1, 2, 3)},
            0.0,
        )
        for n in (16, 32)
    ]
    figure = thread_times(found)
    assert {part["name"]: list(part["y"]) for part in figure["data"]} == {
        "a": [16, 32],
        "b": [2000, 2000],
    }
    assert [list(part["x"]) for part in figure["data"]] == [[16, 32]] * 2
    as_sent(figure)
