"""Painting a mask: cell by cell, by buttons, and in every step of the layer."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from attention_lab.user_data.painted_masks import mask_from_text, mask_to_text
from attention_ui.masks import workshop
from tests.ui.app import (
    facts,
    gone_to,
    numbers_of_scene,
    opened,
    page_context,
    pressed,
    refused,
    scenes,
)
from tests.ui.pinning import pin
from tests.viz.reading_scenes import numbers


def test_painting_hides_a_cell_and_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("mask-workshop")
    touched = partial(workshop._toggle_cell, 12)
    pin(app, monkeypatch, "paint", touched, "painted", 5, 2)
    assert app.session_state["mw_masks"] == ["causal", "padding", "painted"]
    painted = mask_from_text("".join(app.query_params["painted"]))
    assert np.argwhere(~painted).tolist() == [[5, 2]]
    for n in range(3):
        assert np.isneginf(numbers(scenes(app)[0]["arrays"][f"scores {n}"])[5, 2])
    assert facts(app)["hidden_by"] == ["painted"]
    pin(app, monkeypatch, "paint", touched, "painted", 5, 2)
    assert "painted" not in app.query_params
    assert not np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 0"])[5, 2])


def test_the_url_holds_a_painted_mask() -> None:
    hidden = np.ones((12, 12), dtype=bool)
    hidden[7, :3] = False
    app = opened("mask-workshop", painted=mask_to_text(hidden), mw_masks="painted")
    assert np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 1"])).sum() == 3
    gone_to(gone_to(app, "scores"), "mask-workshop")
    assert app.session_state["painted"] == mask_to_text(hidden)


def test_a_painted_mask_in_every_step() -> None:
    hidden = np.ones((12, 12), dtype=bool)
    hidden[7, :3] = False
    app = opened("mask-workshop", painted=mask_to_text(hidden))
    assert not facts(app)["in_every_step"]
    pressed(app, "Use this mask in every step")
    assert facts(app)["in_every_step"]
    linked = opened("all-heads", mask="painted", painted=mask_to_text(hidden))
    for shown in (gone_to(app, "softmax"), linked):
        assert np.array_equal(page_context(shown).trace.hidden[0, 1], ~hidden)
        assert shown.query_params["painted"] in (mask_to_text(hidden), [mask_to_text(hidden)])
    assert facts(gone_to(app, "mask"))["cells_hidden"] == 3
    pressed(gone_to(app, "mask-workshop"), "Hide nothing")
    assert not page_context(app).trace.hidden_keys.any()


def test_a_damaged_painted_mask_hides_nothing() -> None:
    app = opened("scores", mask="painted", painted="banana")
    assert [one[:2] for one in refused(app)] == [("Painted mask", "banana")]
    assert not page_context(app).trace.hidden_keys.any()


def test_a_painted_mask_is_compared_with_another() -> None:
    hidden = np.eye(12, dtype=bool)
    app = opened("compare", against="mask", value="painted", painted=mask_to_text(hidden))
    assert facts(app)["moved_most"].after == 1


def test_the_buttons_for_painting() -> None:
    app = opened("mask-workshop", query=3)
    click = {button.label: button for button in app.button}
    click["Hide all keys from the query"].click().run()
    assert np.argwhere(~mask_from_text(app.session_state["painted"]))[:, 0].tolist() == [3] * 12
    {button.label: button for button in app.button}["Start from all masks together"].click().run()
    assert (~mask_from_text(app.session_state["painted"])).sum() == 66 + 12 - 8
    {button.label: button for button in app.button}["Hide nothing"].click().run()
    assert app.session_state["painted"] == ""


def test_what_painting_adds_to_the_scores() -> None:
    stated = facts(app := opened("mask-workshop"))
    painted = scenes(app)[1]["arrays"]["painted"]
    assert set(numbers_of_scene({"arrays": {"painted": painted}}).tolist()) == {0.0}
    assert (stated["added_to_hidden"], stated["added_to_others"]) == (-math.inf, 0)
    assert stated["painted_cells"] == 0
