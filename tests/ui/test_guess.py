"""What a step asks beside its example agrees with what its board shows, in every kind of layer."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from attention_lab.guesses import ITEMS
from attention_lab.page_list import story_steps
from attention_lab.url_choices import read_url
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_bytes
from attention_viz.story.stages import stage_of
from attention_viz.story.story_view import view_of
from tests.ui.app import opened, stage
from tests.viz.reading_scenes import numbers, scene_of

STEPS = [page.url_path for page in story_steps() if page.fields and page.url_path != "overview"]
FIRST = dict(
    parse_qsl(
        "weights=by hand&d_model=8&n_heads=2&text=the cat saw the old box and then it ran"
        "&query=8&key=1"
    )
)
STATES: dict[str, dict[str, object]] = {
    "the first example": FIRST,
    "four heads": {"n_heads": 4, "query": 8},
    "a causal mask": {"n_heads": 4, "mask": "causal", "query": 8, "key": 2},
    "weightless": {"n_heads": 4, "weights": "weightless"},
    "trained, whole matrices": {"weights": "trained", "whole": "true", "query": 9},
    "padding": {"n_heads": 2, "mask": "padding", "n_tokens": 15, "feature": 1},
    "a batch": {"text": "we like green tea today", "batch": "it slept\nthe dog ran", "n_heads": 2},
}
SIZES = re.compile(r"\d+(?: × \d+)+")


def scene_at(step: str, **url: object) -> dict[str, Any]:
    """The scene of a step, as the browser gets it at a URL."""
    view = view_of(read_url({name: [str(value)] for name, value in url.items()}))
    return scene_of(scene_to_bytes(coloured_scene(stage_of(view, step), "light")))


def is_hidden(asked: dict[str, Any], index: tuple[int, ...]) -> bool:
    return any(
        all(place in (None, at) for place, at in zip(hidden, index, strict=True))
        for hidden in asked["hides"]
    )


def check_number(asked: dict[str, Any], matrix: np.ndarray, at: tuple[int, ...]) -> None:
    """Its number is that of the scene; no other cell of its matrix that is in sight has it."""
    assert asked["number"] == pytest.approx(float(matrix[at]), rel=1e-5)
    for row, column in np.ndindex(*matrix.shape[-2:]):
        if abs(matrix[(*at[:-2], row, column)] - asked["number"]) < 1e-6:
            assert (row, column) == at[-2:] or asked["is_alike"]((row, column))


def check(scene: dict[str, Any]) -> None:
    """What the stage asks agrees with its board."""
    asked, array = scene["stage"]["guess"], scene["arrays"][scene["stage"]["guess"]["array"]]
    assert asked["array"] in ITEMS[asked["id"]].fields
    badges = {size for panel in scene["panels"] for size in SIZES.findall(panel["badge"])}
    assert not badges & {option["label"] for option in asked["options"]}
    assert asked["kind"] not in ("shape", "picture")
    index, start = asked["index"], array.get("start", [0] * len(asked["index"]))
    matrix = numbers(array)
    if asked["kind"] == "place":
        return
    at = tuple(place - first for place, first in zip(index, start, strict=True))
    assert all(0 <= place < size for place, size in zip(at, matrix.shape, strict=True))
    assert index != scene["cell"]["index"]
    assert "[pad]" not in asked["prompt"]
    row = matrix[at[:-1]]
    if asked["array"] == "masked_scores":
        assert "masked" in array
        assert np.isneginf(row).any()
    if asked["id"] == "masked-count":
        assert asked["number"] == np.isfinite(row).sum()
    elif asked["kind"] == "number":
        asked["is_alike"] = lambda cell: is_hidden(
            asked, (*index[:-2], cell[0] + start[-2], cell[1] + start[-1])
        )
        check_number(asked, matrix, at)
    else:
        right = next(option for option in asked["options"] if option["right"])
        assert int(right["value"]) == int(row.argmax()) + start[-1]


@pytest.mark.parametrize("state", STATES)
def test_what_is_asked_is_what_the_board_shows(state: str) -> None:
    silent = set()
    for step in STEPS:
        for which in ("queries", "keys", "values") if step in ("projections", "split") else ("",):
            more = {"which": which} if which else {}
            scene = scene_at(step, **STATES[state] | more, head=1)
            if scene["stage"]["guess"] is None:
                silent.add((step, which))
            else:
                check(scene)
    names = {step for step, which in silent if which in ("", "queries")}
    if state == "the first example":
        assert names == set()
    assert len(names) <= 3


def test_the_switch_is_in_the_address() -> None:
    first = [
        scene_at("scores", head=0, **address)["stage"]["guess"]["first"]
        for address in ({}, {"guess": "true"}, {"guess": "false"})
    ]
    assert first == [False, True, False]


def test_a_lesson_asks_its_own_questions() -> None:
    assert stage(opened("mask", lesson="masks", moment=1))["guess"] is None


@pytest.mark.parametrize("step", ["tokens", "projections"])
def test_a_badge_gives_the_size_of_the_array(step: str) -> None:
    scene = scene_at(step, n_heads=4, d_model=16)
    cut = 0
    for panel in scene["panels"]:
        array = scene["arrays"][panel["array"]]
        whole = array.get("whole", array["shape"])
        sizes, _, words = panel["badge"].partition(", ")
        assert sizes == f"{whole[panel['rows']]} × {whole[panel['columns']]}"
        if array["shape"] != whole:
            start, count = array["start"][panel["columns"]], array["shape"][panel["columns"]]
            assert re.findall(r"\d+", words) == [str(start), str(start + count - 1), "16"]
            cut += 1
    assert cut >= 2
