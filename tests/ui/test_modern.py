"""Rotary positions, QK-norm, ALiBi and the sink in the story: controls, strip, boards, and the
pages that leave them out.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.choices import without_modern
from attention_lab.scenario import Scenario, trace_of
from tests.ui.app import figures, opened, page_context, stage, texts
from tests.ui.test_guess import scene_at
from tests.viz.reading_scenes import sent

ON = {"rotary": "halves", "qk_norm": "true", "sink": "true", "sink_logit": "1", "alibi": "true"}
MODERN = Scenario(rotary="halves", qk_norm=True, sink=True, sink_logit=1.0, alibi=True)


def strip(page: str, **choices: object) -> list[str]:
    """The URL paths of the steps on the strip of a page."""
    return [step["path"] for step in stage(opened(page, **choices))["steps"]]


def test_a_step_stands_in_the_order_of_the_story_with_its_option_alone() -> None:
    assert strip("scores")[-3:] == ["qk-norm", "rotary", "next-token"]
    assert strip("scores", **ON)[4:6] == ["qk-norm", "rotary"]
    assert strip("rotary") == strip("scores") == strip("practice")
    assert strip("seen", rotary="halves").index("rotary") == 4


@pytest.mark.parametrize("page", ["qk-norm", "rotary"])
def test_a_step_whose_option_is_off_shows_what_it_would_do(page: str) -> None:
    off, on = opened(page), opened(page, **ON)
    for app, is_off in ((off, True), (on, False)):
        notes = [note["text"] for note in stage(app).get("notes", [])]
        assert any("Modern attention" in note for note in notes) is is_off
    assert page_context(on).trace is trace_of(MODERN)


def panels(page: str, **choices: object) -> set[str]:
    """The arrays that the board of a step shows."""
    return {panel["array"] for panel in scene_at(page, **choices)["panels"]}


def test_what_is_turned_is_what_is_compared() -> None:
    assert {"turned_queries", "turned_keys", "scores"} <= panels("scores", **ON)


def test_the_sink_has_a_column_of_its_own() -> None:
    scene = scene_at("softmax", **ON)
    assert "less than 1" in scene["stage"]["says"]
    np.testing.assert_allclose(sent(scene, "sink"), [1.0] * 4)
    assert "sink_shares" in panels("softmax", **ON) - panels("softmax")


def test_the_turned_pair_is_an_arrow() -> None:
    (arrow,) = figures(opened("rotary", **ON, query=3, feature=1))
    before, turned = (trace for trace in arrow["data"] if trace["name"] in ("before", "turned"))
    assert before["x"] != turned["x"]


@pytest.mark.parametrize("page", ["all-heads", "head-worth"])
def test_pages_of_other_sections_leave_them_out_and_say_so(page: str) -> None:
    app = opened(page, **ON)
    assert page_context(app).trace is trace_of(without_modern(MODERN))
    assert "are left out here" in texts(app)
    assert "are left out here" not in texts(opened(page))


@pytest.mark.parametrize("name", ["rotary", "qk_norm", "alibi", "sink"])
def test_a_setting_is_compared_with_the_layer_without_it(name: str) -> None:
    app = opened("what-changes", **ON, against=name)
    assert not app.error
    assert page_context(app).trace is trace_of(MODERN)


def test_an_odd_width_is_refused_with_a_remedy() -> None:
    app = opened("rotary", rotary="halves", d_k=3)
    assert any("choose an even" in error.value for error in app.error)
