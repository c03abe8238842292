"""The page that shows two settings beside one another, by its URL and by its widgets."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import SettingsError, ShapeError
from attention_lab.compare import largest_change
from attention_lab.scenario import Scenario, trace_of
from tests.ui.app import error, facts, opened, page_context, pressed, refused, scenes, sent


def test_a_url_names_the_changed_control_and_its_value() -> None:
    app = opened("compare", against="mask", value="causal", head=2)
    before = trace_of(Scenario()).probabilities[0, 2]
    after = trace_of(Scenario(mask="causal")).probabilities[0, 2]
    (scene,) = scenes(app)
    shown = [scene["arrays"][panel["array"]] for panel in scene["panels"]]
    for array, numbers in zip(shown, (before, after, after - before), strict=True):
        assert np.allclose(sent(array), numbers, atol=1e-6)
    assert shown[0]["limit"] == shown[1]["limit"]
    assert facts(app)["moved_most"] == largest_change(before, after)
    assert scene["fits"]


@pytest.mark.parametrize("shows", ["scores", "output"])
def test_scores_and_outputs_share_the_larger_scale(shows: str) -> None:
    (scene,) = scenes(opened("compare", against="seed", value="7", compare_shows=shows))
    first, second, gap = (scene["arrays"][panel["array"]] for panel in scene["panels"])
    largest = max(np.abs(sent(first)).max(), np.abs(sent(second)).max())
    assert first["limit"] == second["limit"] == pytest.approx(largest, rel=1e-5)
    assert np.allclose(sent(gap), sent(second) - sent(first), atol=1e-5)


def test_a_click_chooses_the_largest_change() -> None:
    app = pressed(opened("compare", against="positions"), "Show it")
    moved = facts(app)["moved_most"]
    assert (page_context(app).focus.query, page_context(app).focus.key) == (moved.row, moved.column)


def test_the_widgets_write_the_url() -> None:
    app = opened("compare", against="seed", value="7")
    app.selectbox(key="changed control").set_value("mask").run()
    assert facts(app)["compared_with"] == "causal"
    assert not {"against", "value"} & {*app.query_params}
    app.selectbox(key="value of mask").set_value("window").run()
    assert facts(app)["compared_with"] == "window"
    assert app.query_params["value"] in ("window", ["window"])


def test_a_head_that_the_changed_layer_lacks() -> None:
    stated = facts(opened("compare", against="n_heads", value="1", head=3))
    assert stated["head_beside"] == 0


def test_a_control_without_effect() -> None:
    stated = facts(opened("compare", against="scale", value="3"))
    assert (stated["moved_most"], stated["matters"]) == (None, False)
    stated = facts(opened("compare", against="scale", value="3", scaling="custom"))
    assert stated["moved_most"] is not None
    assert stated["matters"] is True


@pytest.mark.parametrize(
    ("asked", "kind", "named"),
    [
        ({"against": "n_heads", "value": 3}, SettingsError, "16"),
        ({"against": "text", "value": "two words"}, SettingsError, "12"),
        ({"against": "d_model", "value": 32, "compare_shows": "output"}, ShapeError, "32"),
    ],
)
def test_layers_that_cannot_be_compared(
    asked: dict[str, object], kind: type[Exception], named: str
) -> None:
    app = opened("compare", **asked)
    assert isinstance(error(app), kind)
    assert named in str(error(app))
    assert app.get_by_key("changed control")


@pytest.mark.parametrize(
    ("asked", "label", "wish"),
    [
        ({"against": "own"}, "Changed control", "own"),
        ({"against": "mask", "value": "banana"}, "Mask", "banana"),
        ({"against": "seed", "value": "-1"}, "Seed", "-1"),
    ],
)
def test_an_invalid_value_is_refused(asked: dict[str, str], label: str, wish: str) -> None:
    app = opened("compare", **asked)
    assert [one[:2] for one in refused(app)] == [(label, wish)]
    assert facts(app)["moved_most"] is not None
