"""The stage of the last step: what the output is made of, in the order of its formula."""

from __future__ import annotations

from typing import Any

import pytest

from attention_lab.scenario import Scenario, trace_of
from attention_viz import story
from attention_viz.payload import Stage
from attention_viz.step_scene import StepWords, stage_board


@pytest.mark.parametrize(
    ("choices", "parts", "signs"),
    [
        ({}, ["merged", "w_o", "output"], ["·", "="]),
        ({"residual": True}, ["merged", "w_o", "inputs", "output"], ["·", "+", "="]),
        ({"output_matrix": "none"}, ["merged", "output"], ["→"]),
        (
            {"output_matrix": "none", "residual": True},
            ["merged", "inputs", "output"],
            ["+", "="],
        ),
    ],
)
def test_the_output_reads_as_an_equation(
    choices: dict[str, Any], parts: list[str], signs: list[str]
) -> None:
    stage = Stage(trace_of(Scenario(**choices)))
    shown = stage_board(story.output_board(stage, 0, 0), StepWords("", "", "", "y", (), 0))
    assert [panel["array"] for panel in shown["panels"]] == parts
    assert shown["stage"]["signs"] == signs
