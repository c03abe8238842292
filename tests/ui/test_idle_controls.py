"""A control that cannot change the numbers is greyed out, and what is greyed out changes none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from attention_lab.control_list import CONTROLS, effects_of
from attention_lab.scenario import Scenario, trace_of
from attention_lab.weight_kinds import WEIGHTS
from tests.ui.app import opened, page_context, unfolded
from tests.ui.test_controls import BY_NAME, MOVES, drawn, moved

OF_OPTIONS = {"base", "start", "gain", "sink_logit", "cap"}
OF_MASKS = {"window", "prefix"}
USUALLY = {"scale", "layer", *OF_MASKS, *OF_OPTIONS}
BY_HAND: dict[str, Any] = {"weights": "by hand", "d_model": 8, "n_heads": 2}
DECIDED_BY_HAND = {"init", "seed", "positions", "embedding", "piece"}
DECIDED_BY_THE_MODEL = {"d_model", "n_heads", "d_k", "d_v", "d_o", *DECIDED_BY_HAND}


@pytest.mark.parametrize(
    ("choices", "idle"),
    [
        ({}, USUALLY),
        ({"scaling": "custom", "mask": "window"}, {"layer", "prefix", *OF_OPTIONS}),
        ({"mask": "prefix"}, {"scale", "layer", "window", *OF_OPTIONS}),
        (
            dict.fromkeys(("qk_norm", "sink", "softcap"), True) | {"rotary": "halves"},
            {"scale", "layer", *OF_MASKS},
        ),
        (
            {"weights": "weightless"},
            {*USUALLY, "init", "seed", "output_matrix", "d_k", "d_v", "d_o"},
        ),
        ({"output_matrix": "none"}, {*USUALLY, "d_o"}),
        ({"weights": "orthonormal"}, {*USUALLY, "init"}),
        ({"weights": "trained"}, {"scale", *OF_MASKS, *OF_OPTIONS, *DECIDED_BY_THE_MODEL}),
        (
            {"weights": "language model", "qk_norm": True, "residual": True},
            {*USUALLY, *DECIDED_BY_THE_MODEL, "residual", "rotary"} - {"layer", "gain"},
        ),
        (BY_HAND, {*USUALLY, *DECIDED_BY_HAND}),
        ({"weights": "by hand", "d_model": 8}, USUALLY),
        (BY_HAND | {"d_v": 3}, USUALLY),
    ],
)
def test_a_control_has_no_effect(choices: dict[str, Any], idle: set[str]) -> None:
    effects = effects_of(Scenario(**choices))
    assert {control.name for control in CONTROLS if not effects.has(control)} == idle


@pytest.mark.parametrize("choices", [{}, BY_HAND], ids=["usual", "by hand"])
def test_a_control_without_effect_is_switched_off(choices: dict[str, Any]) -> None:
    app, effects = unfolded(opened("scores", **choices)), effects_of(Scenario(**choices))
    for control in CONTROLS:
        assert app.get_by_key(control.name).disabled is not effects.has(control), control.name


IDLE = {
    "orthonormal": {"init"},
    "weightless": {"seed", "d_k", "d_o", "output_matrix"},
    "random": {"layer"},
    "trained": DECIDED_BY_THE_MODEL,
}


def test_an_idle_control_has_no_effect() -> None:
    layers = [(Scenario(weights=weights), names) for weights, names in IDLE.items()]
    for layer, names in [*layers, (Scenario(**BY_HAND), DECIDED_BY_HAND)]:
        for name in names:
            same = trace_of(replace(layer, **{name: MOVES[name][1]})).output
            assert same.tobytes() == trace_of(layer).output.tobytes(), (layer.weights, name)


def test_the_sizes_of_a_trained_layer_are_shown() -> None:
    """Its own sizes stand where the controls would, greyed out; these keep what they hold."""
    app = opened("scores", weights="trained", d_model=24, n_heads=3)
    for name in ("d_model", "n_heads"):
        shown = app.get_by_key(f"{name} that counts")
        size = str(WEIGHTS["trained"].decides[name])
        assert (shown.value, shown.label) == (size, BY_NAME[name].label)
        assert shown.disabled
    assert (app.query_params["d_model"], app.query_params["n_heads"]) == ("24", "3")
    moved(unfolded(app), "weights", "tied")
    assert (page_context(app).trace.sizes["D"], page_context(app).trace.sizes["H"]) == (24, 3)
    assert not drawn(app, "d_model that counts")


@pytest.mark.parametrize(
    ("decides", "shown"),
    [
        ({"weights": "trained"}, dict.fromkeys(("d_k", "d_v"), "embedding / heads")),
        (BY_HAND, {"positions": "on", "embedding": "normal"}),
    ],
)
def test_what_is_greyed_out_shows_what_counts(
    decides: dict[str, object], shown: dict[str, object]
) -> None:
    shown = shown | {"piece": "whole words"}
    asked = {"positions": "false", "embedding": "integers", "piece": 3, "d_k": 4, "d_v": 4}
    app = unfolded(opened("scores", **decides | asked))
    assert {name: app.get_by_key(f"{name} that counts").value for name in shown} == shown
    usual = unfolded(opened("scores", **decides))
    assert not any(drawn(usual, f"{name} that counts") for name in shown)


def test_the_first_run_knows_the_sizes() -> None:
    fitting, other = (
        opened("scores", **BY_HAND | {"n_heads": n_heads, "piece": 3}) for n_heads in (2, 4)
    )
    assert fitting.get_by_key("piece").disabled
    assert not other.get_by_key("piece").disabled
