"""Scenes: every number that travels is the array's, every rule gives the cell, and a browser
can read them.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_core.derivation import array_of, derive
from attention_lab.notation.texts import NOTATIONS
from attention_lab.words.embeddings import embed
from attention_viz.derived_arrays import DERIVED_ARRAYS, derived_array_of, shape_of
from attention_viz.payload import JSON, Stage
from attention_viz.scene import coloured_scene
from attention_viz.story.per_head import scores_board
from attention_viz.story.products import (
    inputs_board,
)
from tests.viz.example_traces import CASES, example
from tests.viz.reading_scenes import numbers, worked_out, written_and_read
from tests.viz.story_boards import FOCUS, RIBBONS, STORY


def check(trace: Trace, scene: JSON) -> None:
    """What a browser reads is the trace's own numbers, in float32; panels name axes that their
    arrays have.
    """
    scene = written_and_read(scene)
    for name, array in scene["arrays"].items():
        if "data" in array:
            start = array.get("start", [0] * len(array["shape"]))
            part = tuple(slice(a, a + n) for a, n in zip(start, array["shape"], strict=True))
            np.testing.assert_array_equal(numbers(array), array_of(trace, name)[part].astype("f4"))
        elif name in RIBBONS:
            assert scene["rules"][name]["operation"] == "copy"
        else:
            assert name in DERIVED_ARRAYS
            assert tuple(array["shape"]) == shape_of(trace, derived_array_of(trace, name))
            assert scene["rules"][name]["operation"] == derived_array_of(trace, name).rule.operation
        assert len(array["axes"]) == len(array["shape"])
        assert set(array["axes"]) <= set(scene["axes"])
    for panel in scene["panels"]:
        n_axes = len(scene["arrays"][panel["array"]]["shape"])
        drawn = [
            panel[part] for part in ("tiles", "rows", "columns") if panel.get(part) is not None
        ]
        assert len(set(drawn)) == len(drawn)
        assert all(0 <= axis < n_axes for axis in drawn)
    assert scene["cell"]["array"] in scene["arrays"]


@pytest.mark.parametrize("name", STORY)
@pytest.mark.parametrize("case", CASES)
def test_scenes_hold_the_numbers_of_the_trace(name: str, case: str) -> None:
    for shared in (False, True):
        trace = example(case, shared=shared)
        check(trace, STORY[name](Stage(trace)))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", sorted(STORY.keys() - {"pair", "value pair", "overview"}))
def test_the_rules_of_a_scene_give_its_cells(name: str, shared: bool) -> None:
    trace = example("bias and residual", shared=shared)
    scene = STORY[name](Stage(trace))
    result = next(panel["array"] for panel in scene["panels"] if panel["role"] == "result")
    values = numbers(scene["arrays"][result])
    for index in itertools.islice(np.ndindex(*values.shape), 0, None, 37):
        assert worked_out(scene, result, index) == pytest.approx(values[index], abs=2e-5)
        assert derive(trace, result, index).result == pytest.approx(values[index], abs=1e-5)


def test_word_plus_position_is_the_input() -> None:
    embedding = embed(["a", "b", "c"], 5)
    trace = attend(embedding.inputs, Projections.weightless(5)).labelled(("a", "b", "c"))
    scene = inputs_board(Stage(trace), embedding, 1, 4)
    for name in ("words", "positions", "inputs"):
        array = scene["arrays"][name]
        np.testing.assert_array_equal(
            numbers(array).reshape(3, 5), getattr(embedding, name).astype("f4")
        )
    assert worked_out(scene, "inputs", (0, 1, 4)) == pytest.approx(embedding.inputs[1, 4], abs=1e-6)


def test_colours_for_a_mode_or_both() -> None:
    scene = scores_board(Stage(example()), FOCUS)
    assert coloured_scene(scene, "dark")["palette"]["background"] == "#11121a"
    assert set(coloured_scene(scene, "both")["palette"]) == {"light", "dark"}
    assert coloured_scene(scene, "light", 1.35)["zoom"] == 1.35


def test_symbols_and_convention_of_another_text() -> None:
    stage = Stage(example())
    ours, slides = (
        scores_board(stage, FOCUS),
        scores_board(replace(stage, notation=NOTATIONS["gml"]), FOCUS),
    )
    assert (ours["transposed"], slides["transposed"]) == (False, True)
    assert ours["arrays"] == slides["arrays"]
    assert [panel["title"].split()[0] for panel in ours["panels"][:3]] == ["Qₕ", "Kₕ", "Sₕ"]
    badges = [panel["badge"] for panel in ours["panels"][:3]]
    assert badges == ["5 × 2, query × feature", "2 × 7, feature × key", "5 × 7, query × key"]
    assert all(
        a["title"] != b["title"]
        for a, b in zip(ours["panels"][:2], slides["panels"][:2], strict=True)
    )
    assert slides["panels"][2]["badge"] != ours["panels"][2]["badge"]
