"""The examples: each loads, sets every widget, says what to look at, and is recognised again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

import attention_ui.presets as module
from attention_lab.choices import resolve
from attention_lab.control_list import CONTROLS
from attention_lab.focus import Focus
from attention_lab.presets import Preset, cell_worth_a_look, preset_named, presets, widget_values
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import weights_in_force
from attention_lab.state_file import FOCUS
from tests.ui.app import opened, page_context, unfolded

# Every control at another value than any example has. Five heads joined are as wide as X again,
# which is added.
ELSEWHERE = dict(
    parse_qsl(
        "text=something else&batch=one%0Atwo&n_tokens=7&piece=2&embedding=integers&positions=false"
        "&d_model=20&n_heads=5&d_k=6&d_v=4&d_o=7&weights=tied&layer=2&init=small&seed=9&without=1"
        "&output_matrix=none&scaling=custom&scale=3&mask=window&window=5&prefix=4&residual=true"
        "&rotary=halves&base=100&start=3&qk_norm=true&gain=2&alibi=true&sink=true&sink_logit=1"
        "&softcap=true&cap=2"
    )
)
each_example = pytest.mark.parametrize("preset", presets(), ids=lambda one: one.name)


def example_box(app: AppTest) -> Selectbox[Any]:
    """The select box of examples."""
    return next(box for box in app.selectbox if box.label == "Example")


def test_names_and_scenarios_are_unique() -> None:
    names, scenarios = ({getattr(one, of) for one in presets()} for of in ("name", "scenario"))
    assert len(names) == len(scenarios) == len(presets())


def test_the_examples_asked_for_are_there() -> None:
    scenarios = [preset.scenario for preset in presets()]
    assert scenarios[0].weights == resolve(scenarios[0]).weights.name == "by hand"
    assert (scenarios[1].weights, scenarios[1].layer) == ("language model", 4)
    assert scenarios[2] == Scenario()
    assert scenarios[-1] == Scenario(weights="trained", layer=3)
    assert {1, 8} <= {scenario.n_heads for scenario in scenarios}
    assert "weightless" in {scenario.weights for scenario in scenarios}
    assert "causal" in {scenario.mask for scenario in scenarios}
    assert (6, 2) in {(scenario.d_model, scenario.n_heads) for scenario in scenarios}


@each_example
def test_choosing_an_example_sets_every_control(preset: Preset) -> None:
    app = opened("scores", **ELSEWHERE)
    assert page_context(app).scenario not in [other.scenario for other in presets()]
    assert example_box(app).value is None
    example_box(app).set_value(preset.name).run()
    assert page_context(app).scenario == preset.scenario
    for control in CONTROLS:
        value = getattr(preset.scenario, control.name)
        assert app.get_by_key(control.name).value == control.held(value)
    assert page_context(app).focus == Focus(*(preset.focus or ()))
    assert example_box(app).value == preset.name
    assert preset.hint in [caption.value for caption in app.caption]


def test_moving_a_control_leaves_the_example() -> None:
    app = unfolded(opened("scores"))
    assert example_box(app).value == presets()[2].name
    assert example_box(app).proto.required  # nothing can be taken out of the box
    app.toggle(key="residual").set_value(True).run()
    assert example_box(app).value is None
    app.toggle(key="residual").set_value(False).run()
    assert example_box(app).value == presets()[2].name


@pytest.mark.parametrize(
    ("moved", "loads"), [({}, True), ({"text": "my own words"}, False), ({"n_heads": 2}, False)]
)
def test_an_old_choice_of_the_browser_is_not_a_new_one(
    monkeypatch: pytest.MonkeyPatch, moved: dict[str, object], loads: bool
) -> None:
    shown, example = presets()[2].scenario, presets()[4]
    state: dict[str, Any] = widget_values(shown) | moved | {module.EXAMPLE_KEY: example.name}
    monkeypatch.setattr(module.st, "session_state", state)
    monkeypatch.setattr(module.st, "query_params", {})
    module._load(shown)
    state.pop("session", None)
    expected = example.session_values if loads else widget_values(replace(shown, **moved))
    state.pop(module.EXAMPLE_KEY)
    places = dict.fromkeys((*FOCUS, "sentence"), 0)
    assert places | state == places | expected


@each_example
def test_an_example_tells_of_one_cell(preset: Preset) -> None:
    """Each example names a cell that its layer has and a query may see, none at the corner; without
    one it tells of the cell that any sentence would.
    """
    trace, cell = trace_of(preset.scenario), preset.focus
    assert cell is not None
    assert (cell.query, cell.key) != (0, 0)
    assert trace.probabilities[0, cell.head, cell.query, cell.key] > 0
    assert trace.inputs.shape[2] > cell.feature
    told = cell_worth_a_look(preset.scenario)
    assert replace(preset, focus=None).session_values == preset.session_values | told._asdict()


def test_the_examples_about_it_look_at_it() -> None:
    for preset in presets():
        trace, cell = trace_of(preset.scenario), preset.focus
        assert cell is not None
        assert trace.tokens[cell.query] == "it" or "it" not in trace.tokens
        if preset.scenario.weights in ("by hand", "trained"):
            assert trace.probabilities[0, cell.head, cell.query].argmax() == cell.key


def test_the_example_on_paper_has_whole_numbers() -> None:
    trace = trace_of(preset_named("Two heads on paper").scenario)
    for name in ("inputs", "queries", "keys", "values", "scores", "scaled_scores"):
        numbers = getattr(trace, name)
        assert (numbers == numbers.round()).all()
        assert abs(numbers).max() < 100
    assert all(getattr(trace.projections, name).any(axis=0).all() for name in ("w_q", "w_k", "w_v"))


@pytest.mark.parametrize(
    "choice",
    [
        {"text": "dogs bark", "mask": "causal"},
        {"weights": "trained", "layer": 2},
        {"weights": "by hand", "d_model": 12, "n_heads": 4},  # by hand there are two heads of four
        # in which they find nothing
        {"weights": "by hand", "d_model": 8, "n_heads": 2, "text": "What is love?"},
    ],
    ids=str,
)
def test_other_choices_are_named_in_the_place_of_an_example(choice: dict[str, Any]) -> None:
    scenario = resolve(weights_in_force(Scenario(**choice))).chosen
    named = (scenario.weights, scenario.n_heads, scenario.mask)
    said = "Your own choices. Weights: {}. Heads: {}. Mask: {}.".format(*named)
    assert said in [caption.value for caption in opened("scores", **choice).caption]
