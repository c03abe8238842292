"""What a step asks first is about the cell it explains, of the layer it shows."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.guesses import ITEMS
from attention_ui.registry import story_steps
from tests.ui.app import opened, page_context, scenes

STEPS = [page.url_path for page in story_steps() if page.fields and page.url_path != "overview"]
EXAMPLE = {
    "weights": "by hand",
    "d_model": 8,
    "n_heads": 2,
    "text": "the cat saw the box and it ran",
    "query": 6,
    "key": 1,
}


def stage_of(app: AppTest) -> dict[str, Any]:
    """The scene of the stage."""
    return next(one for one in scenes(app) if one["panels"] and "stage" in one)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_asks_about_its_lit_cell(step: str) -> None:
    """The question is one of its field, on the explained cell; its number is that of the layer."""
    app = opened(step, **EXAMPLE)
    scene = stage_of(app)
    asked = scene["stage"]["guess"]
    assert asked["array"] in ITEMS[asked["id"]].fields
    assert {"array": asked["array"], "index": asked["index"]} == scene["cell"]
    if asked["kind"] == "number" and asked["id"] != "masked-count":
        value = getattr(page_context(app).trace, asked["array"])[tuple(asked["index"])]
        assert asked["number"] == pytest.approx(value)


def test_it_can_be_turned_off_in_the_address() -> None:
    """Then a step asks nothing; the choice is one of the stage, too."""
    assert stage_of(opened("scores", guess="false"))["stage"]["guess"] is None
    assert stage_of(opened("scores"))["stage"]["guess"] is not None


def test_the_mask_that_is_shown_is_the_one_that_is_asked_about() -> None:
    """Without a mask the page shows a causal one, and counts by it."""
    asked = stage_of(opened("mask", **EXAMPLE))["stage"]["guess"]
    assert (asked["id"], asked["number"]) == ("masked-count", 7)
