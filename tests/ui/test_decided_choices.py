"""What a choice decides for others: at every value of these that a URL may hold, the page runs and
shows the decided value as a text, and the others keep what they hold.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import zip_longest
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.by_hand import HANDMADE_LAYERS
from attention_lab.control import Control
from attention_lab.control_list import CONTROLS, effects_of
from attention_lab.presets import SENTENCE_KEY
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS
from attention_lab.url_choices import read_url
from attention_lab.weight_kinds import MODELS, WEIGHTS
from tests.ui.app import opened, page_context
from tests.ui.test_controls import DEFAULTS, drawn, in_url, moved

PLACES = ("0", "1", "15", "63", "1024", "99999", "-1", "1.0", "")
BASES: list[dict[str, Any]] = [
    {},
    *({"weights": "by hand", "d_model": d, "n_heads": heads} for d, heads in HANDMADE_LAYERS),
]


def texts(control: Control) -> list[str]:
    """What a URL may hold for a control: what it can be, the ends of its bounds, a step to either
    side of them, whole numbers and decimals, and nonsense.
    """
    default = DEFAULTS[control.name]
    if control.options:
        return [*control.options, "banana"]
    if isinstance(default, bool):
        return ["true", "false", "1"]
    if isinstance(default, str):
        return ["hello", "two\nlines", ""]
    low, high = control.bounds
    step = 1 if isinstance(default, int) else 0.1
    ends = (low, low + step, high - step, high, low - step, high + step)
    middle = round(low + high / 2)
    found = [*(f"{end:.17g}" for end in ends), f"{middle}", f"{middle}.0", f"{middle}.25"]
    return [*found, control.zero] if control.zero else found


def scenario_of(choices: dict[str, Any]) -> Scenario:
    """The scenario that a URL gives."""
    return read_url({name: [str(value)] for name, value in choices.items()}).scenario


def decisions(scenario: Scenario) -> tuple[dict[str, Any], frozenset[str]]:
    """What the choices decide, and the controls that have no effect beside them."""
    effects = effects_of(scenario)
    idle = (control.name for control in CONTROLS if not effects.has(control))
    return {**effects.decided}, frozenset(idle)


def deciding() -> list[Scenario]:
    """A scenario for everything that one control decides for others, or whose effect it takes."""
    found: list[tuple[Any, Scenario]] = []
    for base in BASES:
        for control in CONTROLS:
            for text in texts(control):
                scenario = scenario_of(base | {control.name: text})
                decided, idle = decisions(scenario)
                if (new := decided or idle) not in [one for one, _ in found]:
                    found.append((new, scenario))
    return [scenario for _, scenario in found]


def check(app: AppTest) -> None:
    """Nothing ends the page, and what is decided stands there as a text."""
    assert not app.exception
    chosen = page_context(app).chosen
    decided, _ = decisions(chosen)
    for control in CONTROLS:
        counts, held = f"{control.name} that counts", getattr(chosen, control.name)
        if decided.get(control.name, held) == held:
            assert control.name == "n_heads" or not drawn(app, counts), control.name
        elif drawn(app, control.name):
            shown = app.text_input(key=counts)
            assert shown.disabled
            assert shown.value == control.said(decided[control.name])


@pytest.mark.parametrize("scenario", deciding(), ids=lambda one: "-".join(in_url(asdict(one))))
def test_what_is_decided_may_be_anything(scenario: Scenario) -> None:
    asked = in_url(asdict(scenario))
    idle = [one for one in CONTROLS if one.name in decisions(scenario)[1] and one.name not in asked]
    for n, row in enumerate(zip_longest(*map(texts, idle))):
        held = {one.name: text for one, text in zip(idle, row, strict=True) if text is not None}
        places = dict.fromkeys((*FOCUS, SENTENCE_KEY), PLACES[n % len(PLACES)])
        app = opened("scores", **asked | held | places)
        check(app)
        expected = scenario_of(asked | held)
        assert page_context(app).chosen == expected


@pytest.mark.parametrize(
    "held", [{}, {"base": "500", "start": "5", "residual": "true", "d_k": "4"}]
)
def test_other_weights_decide_other_values(held: dict[str, str]) -> None:
    app = opened("rotary", weights="trained", rotary="neighbours", **held)
    own = {name: app.query_params[name] for name in held}
    for kind in (*reversed(WEIGHTS), *MODELS, *MODELS):
        check(moved(app, "weights", kind))
        assert {name: app.query_params[name] for name in held} == own
