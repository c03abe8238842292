"""The page *What changes?*: a control, the order, a mistake, and the game."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from attention_lab.compare import largest_change
from attention_lab.masks.mistakes import MISTAKES, hidden_mistake
from attention_lab.scenario import Scenario, trace_of
from tests.ui.app import (
    error,
    named_in,
    opened,
    page_context,
    pressed,
    scenes,
    sent,
    texts,
    unescaped,
)


def test_a_url_names_the_changed_control_and_its_value() -> None:
    app = opened("what-changes", against="mask", value="causal", head=2)
    before = trace_of(Scenario()).probabilities[0, 2]
    after = trace_of(Scenario(mask="causal")).probabilities[0, 2]
    (scene,) = scenes(app)
    shown = [scene["arrays"][panel["array"]] for panel in scene["panels"]]
    for array, expected in zip(shown, (before, after, after - before), strict=True):
        assert np.allclose(sent(array), expected, atol=1e-6)
    assert scene["fits"]
    moved, focus = largest_change(before, after), page_context(pressed(app, "Show it")).focus
    assert (focus.query, focus.key) == (moved.row, moved.column)


def test_the_value_is_chosen_as_its_control_is() -> None:
    app = opened("what-changes", against="seed", value="7")
    app.selectbox(key="choose against").set_value("mask").run()
    assert app.selectbox(key="choose value mask").value == "causal"
    assert not {"against", "value"} & {*app.query_params}
    app.selectbox(key="choose value mask").set_value("window").run()
    assert app.query_params["value"] in ("window", ["window"])


def test_a_control_without_effect() -> None:
    assert "has no effect" in texts(opened("what-changes", against="scale", value="3"))
    custom = texts(opened("what-changes", against="scale", value="3", scaling="custom"))
    assert "has no effect" not in custom
    assert "**Largest difference**" in custom


@pytest.mark.parametrize(
    ("asked", "named"),
    [({"against": "n_heads", "value": 3}, "16"), ({"against": "text", "value": "a b"}, "12")],
)
def test_layers_that_cannot_be_compared(asked: dict[str, object], named: str) -> None:
    app = opened("what-changes", **asked)
    assert named in str(error(app))


@pytest.mark.parametrize(
    ("asked", "named"), [({"value": "banana"}, "banana"), ({"against": "seed", "value": -1}, "-1")]
)
def test_a_value_that_a_control_cannot_have_is_named(asked: dict[str, Any], named: str) -> None:
    app = opened("what-changes", **asked)
    assert named in unescaped(app.warning[0].value)
    assert scenes(app)


def test_a_single_token_cannot_be_shuffled() -> None:
    found = [opened("what-changes", change="order", n_tokens=n) for n in (1, 2)]
    assert [len(app.info) for app in found] == [1, 0]


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        (Scenario(positions=False), "With positions", Scenario()),
        (Scenario(), "Without positions", Scenario(positions=False)),
        (Scenario(), "Causal mask", Scenario(mask="causal")),
    ],
)
def test_buttons_give_the_layer_an_order(before: Scenario, label: str, after: Scenario) -> None:
    app = opened("what-changes", change="order", positions=str(before.positions).lower())
    said = texts(app)
    assert ("**The output stays the same**" in said) == (not before.positions)
    assert page_context(pressed(app, label)).scenario == after


def test_a_mistake_that_changes_nothing_says_what_it_needs() -> None:
    app = opened("what-changes", change="mask")
    needs = {mistake.key: mistake.needs for mistake in MISTAKES}
    assert needs["mask"] in app.info[0].value
    pressed(app, "Choose a causal mask")
    assert not app.info
    assert page_context(app).scenario.mask == "causal"
    alone = opened("what-changes", change="mask", text="a")
    assert "Choose a causal mask" not in [button.label for button in alone.button]
    axis = opened("what-changes", change="axis", mask="window", window=0)
    assert needs["axis"] in axis.info[0].value


def test_spot_the_mistake() -> None:
    hidden = hidden_mistake(1)
    wrong = next(mistake for mistake in MISTAKES if mistake is not hidden)
    app = opened("what-changes", change="hidden")
    assert hidden.name not in texts(app)
    assert not app.code
    app.selectbox(key="choose bi_guess").set_value(wrong.key).run()
    assert wrong.name in app.warning[0].value
    app.selectbox(key="choose bi_guess").set_value(hidden.key).run()
    assert hidden.name in app.success[0].value
    pressed(app, "Next round")
    assert (app.session_state["bi_round"], app.session_state["bi_guess"]) == ("2", "?")
    assert not app.success
    app.toggle(key="choose bi_answer").set_value(True).run()
    assert hidden_mistake(2).name in app.info[0].value


def test_a_round_that_cannot_be_won() -> None:
    place = next(n for n in range(1, 99) if hidden_mistake(n).key == "split")
    app = opened("what-changes", change="hidden", bi_round=place, n_heads=1)
    assert len(app.info) == 1
    assert "swap of axes in the split" not in texts(app)
    assert not opened("what-changes", change="hidden", bi_round=place).info


def test_the_first_field_with_other_numbers_is_shown() -> None:
    merged = opened("what-changes", change="merge", head=1)
    assert {"merged", "1"} <= named_in(scenes(merged)[0]["description"])
    scores = opened("what-changes", change="merge", shown="scores")
    assert "No visible number" in texts(scores)
    alone = scenes(opened("what-changes", n_heads=1, change="split"))[0]["description"]
    assert (named_in(alone) & {"0", "1"}, "output" in alone) == (set(), True)


def test_checks_have_true_minus_signs() -> None:
    text = texts(opened("what-changes", init="small", change="scale"))
    assert re.search(r"\d\.\d+e−05\b", text)
    assert not re.search(r"\de-\d", text)
