"""Every choice has one widget; moving it changes that choice and the numbers, and nothing else
does.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.control import Control
from attention_lab.control_list import CONTROL_GROUPS, CONTROLS
from attention_lab.scenario import LEFT_OPEN, Scenario, trace_of
from attention_lab.url_values import url_text
from tests.lab.test_scenario import CHANGES
from tests.ui.app import gone_to, opened, page_context, unfolded

DEFAULTS = asdict(Scenario())
BY_NAME = {control.name: control for control in CONTROLS}
# control -> a scenario in which it has an effect, and another value.
MOVES = {control.name: CHANGES[control.name] for control in CONTROLS}


def in_url(values: dict[str, Any]) -> dict[str, str]:
    """The choices that differ from the defaults, as a URL holds them."""
    return {
        name: url_text(BY_NAME[name].held(value))
        for name, value in values.items()
        if value != DEFAULTS[name]
    }


def moved(app: AppTest, name: str, value: Any) -> AppTest:
    """The app, whose groups are open, after one control was moved."""
    return app.get_by_key(name).set_value(BY_NAME[name].held(value)).run()


def test_every_field_has_one_control() -> None:
    names = [control.name for control in CONTROLS]
    assert sorted([*names, "edits", "own", "painted", "model"]) == sorted(
        field.name for field in fields(Scenario)
    )


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_a_control_is_explained(control: Control) -> None:
    assert control.label
    assert control.help.endswith(".")
    assert control.group in CONTROL_GROUPS


def test_every_control_is_drawn_once() -> None:
    app = unfolded(opened())
    for control in CONTROLS:
        widget = app.get_by_key(control.name)
        assert widget.value == control.held(DEFAULTS[control.name])
        assert widget.help == control.help
    assert page_context(app).scenario == Scenario()


@pytest.mark.parametrize("name", MOVES)
def test_moving_a_control_changes_its_field_alone_and_moving_it_back_nothing(name: str) -> None:
    scenario, value = MOVES[name]
    app = unfolded(opened("scores", **in_url(asdict(scenario))))
    before = page_context(app)
    after = page_context(moved(app, name, value))
    assert asdict(after.scenario) == asdict(before.scenario) | {name: value}
    assert after.batch is trace_of(after.scenario)
    back = page_context(moved(app, name, getattr(scenario, name)))
    assert back.scenario == before.scenario == scenario
    assert back.trace is before.trace


NUMBERS = [one.name for one in CONTROLS if one.kind in ("scale", "whole", "number")]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_control_reaches_both_its_bounds(name: str) -> None:
    scenario, _ = MOVES[name]
    app = unfolded(opened("scores", **in_url(asdict(scenario))))
    for value in map(type(getattr(scenario, name)), BY_NAME[name].bounds):
        moved(app, name, value)
        assert getattr(page_context(app).scenario, name) == value or app.warning
        assert [*app.error, *app.exception] == []


@pytest.mark.parametrize("name", ["own_scale", "present"])
def test_how_it_looks_never_changes_the_numbers(name: str) -> None:
    app = unfolded(opened("scores"))
    before = page_context(app).trace
    app.toggle(key=name).set_value(True).run()
    assert page_context(app).trace is before


def test_a_url_sets_every_control_which_stays_on_the_page() -> None:
    """What is not at its default would leave the URL if it were not drawn."""
    values = {name: value for name, (_, value) in MOVES.items()}
    app = opened("scores", **in_url(values))
    for _ in range(2):
        assert {name: getattr(page_context(app).scenario, name) for name in values} == values
        assert all(drawn(app, name) for name in values)
        assert not app.toast
        app.query_params.clear()
        app.run()


def test_a_group_at_its_defaults_is_closed() -> None:
    app = opened("scores")
    folded = {control.name for control in CONTROLS if control.group != CONTROL_GROUPS[0]}
    assert {name for name in MOVES if not drawn(app, name)} == folded


def drawn(app: AppTest, name: str) -> bool:
    """Whether a control is on the page."""
    return any(getattr(widget, "key", None) == name for widget in app.sidebar)


def test_a_url_that_lags_behind_is_no_wish() -> None:
    app = opened("scores", n_heads=2)
    app.slider(key="n_heads").set_value(8)
    app.query_params["n_heads"] = "2"
    app.run()
    assert page_context(app).scenario.n_heads == 8
    assert not app.toast


def test_a_group_stays_open_from_page_to_page() -> None:
    app = opened("scores")
    app.session_state["group Weights"] = True
    app = gone_to(app.run(), "mask")
    assert [box.label for box in app.selectbox if box.key == "weights"] == ["Weights"]
    app.session_state["group Weights"] = False
    app = gone_to(app.run(), "softmax")
    assert not [box for box in app.selectbox if box.key == "weights"]


def test_a_closed_box_draws_what_was_moved_alone() -> None:
    names = ("weights", "init", "seed")
    app = opened("scores", weights="tied")
    assert [name for name in names if drawn(app, name)] == ["weights"]
    app = unfolded(app)
    assert all(drawn(app, name) for name in names)
    assert page_context(app).scenario == Scenario(weights="tied")


@pytest.mark.parametrize(("name", "axis"), LEFT_OPEN.items())
def test_the_first_step_from_a_size_that_is_left_open_is_its_own(name: str, axis: str) -> None:
    app = opened("scores", n_heads=4)
    own = page_context(app).trace.sizes[axis]
    assert own > 1
    for chosen, expected in (("1", own), (str(own + 1), own + 1), ("1", 1)):
        unfolded(app).get_by_key(name).set_value(chosen)
        app.run()
        assert (app.get_by_key(name).value, page_context(app).trace.sizes[axis]) == (
            str(expected),
            expected,
        )


@pytest.mark.parametrize(("n_heads", "step"), [(4, 4), (3, 3), (1, 1)])
def test_one_step_of_the_embedding_size_keeps_whole_heads(n_heads: int, step: int) -> None:
    app = opened("scores", d_model=12, n_heads=n_heads)
    field = app.number_input(key="d_model")
    assert (field.step, field.value) == (step, 12)
    field.increment().run()
    assert page_context(app).trace.sizes["D"] == 12 + step
    assert page_context(app).trace.sizes["H"] == n_heads
