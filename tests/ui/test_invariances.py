"""Does order matter? Shuffled tokens, changed scores and weights, and the scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.heads.reruns import run_gaps
from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.shuffles import SITUATIONS, Situation
from attention_lab.user_data.user_matrices import UserMatrices
from attention_viz.labels import format_number
from tests.ui.app import facts, opened, page_context, texts


@pytest.mark.parametrize(
    ("choices", "order_shows"),
    [
        ({}, False),
        ({"inv_reads": "with positions"}, True),
        ({"inv_reads": "causal mask"}, True),
        # equal words are equal wherever they stand
        ({"inv_reads": "causal mask", "text": "the the the"}, False),
    ],
)
def test_when_the_order_shows(choices: dict[str, Any], order_shows: bool) -> None:
    stated = facts(opened("invariances", **choices))
    assert (stated["order_shows"], stated["order_cannot_be_told"]) == (order_shows, False)


def test_a_change_is_measured() -> None:
    app = opened("invariances", inv_topic="constants", inv_seed=3)
    for change in LAYER_CHANGES:
        app.selectbox(key="choose inv_change").set_value(change.key).run()
        found = run_gaps(page_context(app).trace, change.apply(page_context(app).trace, 3))
        stated = facts(app)
        assert stated["stays_in_theory"] == change.keeps_output
        assert stated["probabilities_moved"] == found.probabilities
        assert stated["output_moved"] == found.output
        assert (format_number(found.output) in texts(app)) == (not change.keeps_output)


def test_a_causal_mask_shows_the_order_of_trained_words() -> None:
    alone, masked = (
        facts(opened("invariances", weights="trained", layer=3, inv_reads=reads))
        for reads in ("words alone", "causal mask")
    )
    assert (alone["only_rounding"], alone["order_shows"]) == (True, False)
    assert (masked["only_rounding"], masked["order_shows"]) == (False, True)
    assert 0 < alone["largest_difference"] < masked["largest_difference"]


def test_a_single_token_cannot_be_shuffled() -> None:
    one, two = (opened("invariances", n_tokens=n) for n in (1, 2))
    assert (len(one.info), len(two.info)) == (1, 0)
    assert ("place_after" in facts(one), "place_after" in facts(two)) == (False, True)


@pytest.mark.parametrize(("text", "alike"), [("a", True), ("we like tea", False)])
def test_why_the_scores_have_another_variance(text: str, alike: bool) -> None:
    """A single score has variance 0; otherwise queries and keys are not independent."""
    app = opened("invariances", inv_topic="scale", text=text)
    variance = float(page_context(app).trace.scores[0, 0].var())
    assert facts(app)["score_variance"] == variance
    assert (variance == 0) == alike


@pytest.mark.parametrize("situation", SITUATIONS, ids=[one.key for one in SITUATIONS])
@pytest.mark.parametrize(
    ("choices", "given"),
    [({}, False), ({"edits": "x_0_0_5"}, False), ({"weights": "trained", "layer": 3}, True)],
)
def test_what_shuffled_vectors_hold(
    situation: Situation, choices: dict[str, Any], given: bool
) -> None:
    app = opened("invariances", inv_reads=situation.key, **choices)
    assert facts(app)["inputs_know_their_places"] is given
    assert (situation.description_of_inputs if given else situation.description) in texts(app)


@pytest.mark.parametrize(("size", "shows"), [(1.0, True), (1e5, False)])
def test_a_difference_that_the_order_makes_is_not_called_rounding(size: float, shows: bool) -> None:
    x = size * np.cos(np.arange(32.0).reshape(4, 8) ** 2)
    own = UserMatrices(x=x.round(3)).url_value()
    stated = facts(opened("invariances", own=own, inv_reads="with positions"))
    assert (stated["order_shows"], stated["order_cannot_be_told"]) == (shows, not shows)
    assert stated["only_rounding"] is False


def test_a_change_need_not_show() -> None:
    stated = facts(
        opened("invariances", inv_topic="constants", inv_change="column_constants", text="a")
    )
    assert (stated["stays_in_theory"], stated["probabilities_moved"]) == (False, 0)


@pytest.mark.parametrize(
    ("notation", "width"), [("ours", "dₖ"), ("note", "d"), ("gml", "(N ÷ n_heads)")]
)
def test_the_temperature_names_the_width_as_the_boards_do(notation: str, width: str) -> None:
    text = texts(opened("invariances", notation=notation, inv_topic="temperature"))
    assert text.replace("\\", "").count(f"√{width} ") == 2
