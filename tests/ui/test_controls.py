"""Every choice has one widget; moving it changes that choice and the numbers, and nothing else
does.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_core import Trace
from attention_lab.choices import FIELD_BOUNDS, FIELD_CHOICES
from attention_lab.control_list import CONTROL_GROUPS, CONTROLS, Control, widget_value
from attention_lab.scenario import LEFT_OPEN, Scenario, trace_of
from tests.ui.app import gone_to, opened, page_context, unfolded

DEFAULTS = asdict(Scenario())
BY_NAME = {control.name: control for control in CONTROLS}
# control -> another value, and the URL in which it has an effect.
MOVES: dict[str, tuple[Any, dict[str, object]]] = {
    "text": ("we like tea", {}),
    "n_tokens": (5, {}),
    "d_model": (24, {}),
    "n_heads": (2, {}),
    "batch": ("it slept", {}),
    "weights": ("tied", {}),
    "layer": (4, {"weights": "trained"}),
    "init": ("integers", {}),
    "seed": (2**53 - 1, {}),
    "without": ("1", {}),
    "output_matrix": ("none", {"n_heads": 2}),
    "scaling": ("off", {}),
    "scale": (2.5, {"scaling": "custom"}),
    "mask": ("causal", {}),
    "window": (1, {"mask": "window"}),
    "residual": (True, {}),
    "rotary": ("halves", {}),
    "base": (500.0, {"rotary": "neighbours"}),
    "start": (40, {"rotary": "neighbours"}),
    "qk_norm": (True, {}),
    "gain": (2.5, {"qk_norm": "true"}),
    "alibi": (True, {}),
    "sink": (True, {}),
    "sink_logit": (1.5, {"sink": "true"}),
    "softcap": (True, {}),
    "cap": (1.5, {"softcap": "true"}),
    "d_k": (3, {}),
    "d_v": (128, {}),
    "d_o": (128, {}),
    "positions": (False, {}),
    "embedding": ("integers", {}),
    "piece": (3, {}),
}


def moved(app: AppTest, name: str, value: Any) -> AppTest:
    """The app, whose groups are open, after one control was moved."""
    return app.get_by_key(name).set_value(widget_value(BY_NAME[name], value)).run()


def different(first: Trace, second: Trace) -> bool:
    """Whether any intermediate of two traces differs."""
    return any(
        getattr(first, name).tobytes() != getattr(second, name).tobytes() for name in first.steps
    )


def test_every_field_has_one_control() -> None:
    names = [control.name for control in CONTROLS]
    assert sorted([*names, "edits", "own", "painted"]) == sorted(
        field.name for field in fields(Scenario)
    )
    assert set(MOVES) == set(names)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_a_control_is_explained(control: Control) -> None:
    assert control.label
    assert control.help.endswith(".")
    assert control.group in CONTROL_GROUPS


def test_every_control_is_drawn_once() -> None:
    app = unfolded(opened())
    for control in CONTROLS:
        widget = app.get_by_key(control.name)
        assert widget.value == widget_value(control, DEFAULTS[control.name])
        assert widget.help == control.help
    assert page_context(app).scenario == Scenario()


@pytest.mark.parametrize("name", MOVES)
def test_moving_a_control_changes_its_field_alone_and_moving_it_back_nothing(name: str) -> None:
    value, url = MOVES[name]
    app = unfolded(opened("scores", **url))
    before = page_context(app)
    after = page_context(moved(app, name, value))
    assert asdict(after.scenario) == asdict(before.scenario) | {name: value}
    assert different(before.batch, after.batch)
    assert after.batch is trace_of(after.scenario)
    back = page_context(moved(app, name, asdict(before.scenario)[name]))
    assert back.scenario == before.scenario
    assert back.trace is before.trace
    for other in FIELD_CHOICES.get(name, map(type(value), FIELD_BOUNDS.get(name, ()))):
        if other not in (value, asdict(before.scenario)[name]):
            moved(app, name, other)
            assert getattr(page_context(app).scenario, name) == other or app.warning
            assert not app.error
            assert not app.exception


@pytest.mark.parametrize("name", ["own_scale", "present"])
def test_how_it_looks_never_changes_the_numbers(name: str) -> None:
    app = unfolded(opened("scores"))
    before = page_context(app).trace
    app.toggle(key=name).set_value(True).run()
    assert page_context(app).trace is before


@pytest.mark.parametrize("name", MOVES)
def test_a_url_sets_its_control_which_stays_on_the_page(name: str) -> None:
    """A closed group is left out while all of it is at its default; what is not would leave the
    URL.
    """
    value, url = MOVES[name]
    asked = widget_value(BY_NAME[name], value)
    app = opened("scores", **url | {name: str(asked).lower() if isinstance(asked, bool) else asked})
    assert getattr(page_context(app).scenario, name) == value
    assert not app.toast
    assert drawn(app, name)
    app.query_params.clear()
    assert drawn(app.run(), name)
    assert getattr(page_context(app).scenario, name) == value


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
