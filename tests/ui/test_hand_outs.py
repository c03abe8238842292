"""What a hand-out says of itself: which numbers it shows, and in whose notation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS
from attention_lab.focus import Focus
from attention_lab.notation.notation import OURS
from attention_lab.notation.texts import DOSHI, GML
from attention_lab.scenario import Scenario, trace_of
from attention_lab.whose_heads import MINILM, heads_on
from attention_viz.layer_caption import layer_caption, layer_facts
from attention_viz.story.story_file import story_file
from attention_viz.story.story_view import StoryView
from attention_viz.trained.one_head_page import view_of_layer
from tests.lab.test_scenario import CHANGES
from tests.ui.app import named_in, opened, page_context
from tests.ui.uploads import OWN_X, WHOLE

BY_HAND = {"weights": "by hand", "d_model": 8, "n_heads": 2, "piece": 3, "positions": "false"}


SIZES = ("cut_to", "pads", "d_model", "n_heads", "mask", "residual")
USUAL = {"d_model": 16, "n_heads": 4, "weights": "random", "seed": 0, "mask": "none"}


def chosen_for(now: StoryView) -> dict[str, Any]:
    """What a hand-out says of a layer, by name; each number and name stands in its line."""
    found = layer_facts(now.scenario, now.trace)
    for value in found.values():
        if isinstance(value, (int, str)) and not isinstance(value, bool):
            assert named_in(str(value)) <= named_in(now.sentence), value
    return found


@pytest.mark.parametrize(
    ("choices", "weights"),
    [
        ({}, {"weights": "random", "seed": 0}),
        ({"weights": "tied", "seed": 3}, {"weights": "tied", "seed": 3}),
        ({"weights": "weightless"}, {"weights": "weightless", "output_matrix": "none"}),
        ({"weights": "trained", "layer": 2}, {"weights": "trained", "layer": 2}),
        (BY_HAND, {"named_features": True, "weights": "by hand"}),
        ({"weights": "by hand"}, {"weights": "random", "seed": 0}),
        ({"own": OWN_X.url_value()}, {"weights": "random", "seed": 0, "own": ("x",)}),
        (
            {"own": WHOLE.url_value(), "edits": "wq_0_3_9"},
            {"own": ("x", "w_q", "w_k", "w_v", "w_o"), "edited_cells": 1},
        ),
        (
            {"weights": "weightless", "edits": "wq_0_3_9__x_2_1_-0.5__wo_0_0_1"},
            {"weights": "weightless", "output_matrix": "none", "edited_cells": 2},
        ),
    ],
)
def test_a_hand_out_names_its_weights(choices: dict[str, Any], weights: dict[str, Any]) -> None:
    found = chosen_for(page_context(opened("scores", **choices)))
    assert {name: found[name] for name in found if name not in SIZES} == weights


def test_a_hand_out_says_what_is_cut_and_how_its_matrices_lie() -> None:
    cut = page_context(opened("scores", n_tokens=5, notation="gml"))
    assert chosen_for(cut) == {"cut_to": 5} | USUAL
    rows = page_context(opened("scores", n_tokens=5, notation="doshi"))
    titles = [GML.title in cut.sentence, DOSHI.title in rows.sentence]
    assert titles == [True, True]
    ours = replace(cut, notation=OURS).sentence
    assert (GML.title in ours, DOSHI.title in ours) == (False, False)
    # Beyond the title of the text there is more to say where matrices lie the other way.
    rest = [len(now.sentence) - len(now.notation.title) for now in (cut, rows)]
    assert rest[0] > rest[1] > len(ours)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"mask": "window", "window": 1}, {"mask": "window", "window": 1}),
        ({"scaling": "custom", "scale": -2.5}, {"scaling": -2.5}),
        ({"scaling": "off"}, {"scaling": 1}),
        ({"mask": "causal", "residual": "true"}, {"mask": "causal", "residual": True}),
        ({"d_k": 7, "d_v": 3}, {"d_k": 7, "d_v": 3}),
        ({"d_o": 7}, {"d_o": 7}),
        ({"output_matrix": "none", "d_v": 3}, {"d_k": 4, "d_v": 3, "output_matrix": "none"}),
        ({"embedding": "integers", "init": "normal"}, {"embedding": "integers", "init": "normal"}),
        ({"positions": "false", "piece": 2}, {"positions": False, "piece": 2}),
        ({"n_tokens": 20, "mask": "padding"}, {"pads": 8, "mask": "padding"}),
        ({"rotary": "halves", "start": 7}, {"rotary": "halves", "start": 7}),
        (
            {"qk_norm": "true", "gain": 2, "sink": "true", "softcap": "true", "cap": 3},
            dict.fromkeys(("qk_norm", "sink", "softcap"), True)
            | {"gain": 2.0, "sink_logit": 0.0, "cap": 3.0},
        ),
        ({"alibi": "true"}, {"alibi": True}),
    ],
)
def test_a_hand_out_names_its_options(choices: dict[str, Any], said: dict[str, Any]) -> None:
    found = chosen_for(page_context(opened("scores", **choices)))
    found.pop("cut_to", None)  # pieces are more than fit
    assert found == USUAL | said


# Choices that a caption tells by another fact: the sentence by its words, its length by how many
# tokens were cut or added, edited cells by their number, a factor by the scale.
BY_ANOTHER = {"n_tokens": "cut_to", "scale": "scaling", "edits": "edited_cells"}
UNTOLD = ("batch", "painted")  # a batch is told by whoever shows it; a painting has no words


@pytest.mark.parametrize("name", CHANGES)
def test_a_hand_out_tells_every_choice_that_is_moved(name: str) -> None:
    base, value = CHANGES[name]
    moved = replace(base, **{name: value})
    facts, told = layer_facts(moved, trace_of(moved)), BY_ANOTHER.get(name, name)
    assert (told in facts) is (name not in ("text", *UNTOLD))
    lines = {layer_caption(one, trace_of(one), OURS) for one in (base, moved)}
    assert len(lines) == (1 if name in UNTOLD else 2)


def test_a_negative_scale_is_written_with_a_minus_sign() -> None:
    assert "−2.5" in page_context(opened("scores", scaling="custom", scale=-2.5)).sentence


def test_a_hand_out_of_a_file_has_no_seed() -> None:
    of_file = Scenario(weights="your own", layer=1)
    now = StoryView(of_file, Focus(0, 0, 0, 0), OURS, trace_of(Scenario()))
    expected = {"d_model": 16, "n_heads": 4, "weights": "your own", "mask": "none"}
    assert chosen_for(now) == expected


def test_a_head_of_the_model_has_no_own_numbers() -> None:
    scenario = Scenario(own=OWN_X.url_value(), edits="wq_0_3_9", mask="causal")
    now = replace(page_context(opened("scores")), scenario=scenario)
    heads = heads_on(now.scenario, MINILM, None)
    shown = chosen_for(view_of_layer(now, heads, 2, Focus(0, 0, 0, 0)))
    trained = {"weights": "trained", "layer": 2, "mask": "none", "residual": True}
    assert shown == {"d_model": 384, "n_heads": 12} | trained


@pytest.mark.parametrize(
    ("page", "which", "field"),
    [
        ("projections", "values", "values"),
        ("split", "keys", "key_heads"),
        ("projections", "queries", "queries"),
    ],
)
def test_a_hand_out_is_of_the_matrix_on_the_board(page: str, which: str, field: str) -> None:
    app = opened(page, which=which, closer="code.numbers.files")
    (table,) = app.dataframe
    trace = page_context(app).trace
    array = getattr(trace, field)[0]
    matrix = array[page_context(app).focus.head] if array.ndim == 3 else array
    np.testing.assert_allclose(table.value.to_numpy()[:, 1:].astype(float), matrix, atol=5e-5)
    places = [app.code[0].value.find(f"\n{name} = ") for name in STEPS]
    found = [place for place in places if place >= 0]
    assert found == sorted(found)


def test_the_overview_offers_the_story_of_the_sidebar(files: dict[str, Any]) -> None:
    view = page_context(opened("overview", n_heads=2, mask="window"))
    assert files["attention-story.html"]() == story_file(view)
