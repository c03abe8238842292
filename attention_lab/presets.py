"""The examples of assets/data/presets.json: each sets every control and the cell in focus."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from attention_core.errors import AttentionError

from .by_hand import Cell, choose_example_cell
from .control_list import CONTROLS, widget_value
from .home import ASSETS
from .scenario import Scenario, trace_of

SENTENCE_KEY = "sentence"  # the number of the shown sentence of a batch
PRESET_FILE = ASSETS / "data" / "presets.json"

# The examples with which pages open that show little of the first one: more heads, words for which
# the target is a translation, a seed that gives each student other numbers.
SUITED_EXAMPLES = {
    "head-worth": "The animal and the street",
    "shared-keys": "The animal and the street",
    "encoder-decoder": "The animal and the street",
    "homework": "Two heads on paper",
}


@dataclass(frozen=True)
class Preset:
    """An example. hint: what to look at; focus: the cell, or None for a cell that is chosen."""

    name: str
    hint: str
    scenario: Scenario
    focus: Cell | None = None

    @property
    def session_values(self) -> dict[str, Any]:
        """The values of the session that the example sets."""
        cell = self.focus or choose_example_cell(trace_of(self.scenario))
        return widget_values(self.scenario) | cell._asdict() | {SENTENCE_KEY: 0}


@lru_cache(maxsize=1)
def presets() -> tuple[Preset, ...]:
    """All examples, in the order of the file."""
    entries = json.loads(PRESET_FILE.read_text(encoding="utf-8"))
    return tuple(
        Preset(
            entry["name"],
            entry["hint"],
            Scenario(**entry["scenario"]),
            Cell(**entry["focus"]) if "focus" in entry else None,
        )
        for entry in entries
    )


def example_for(url_path: str) -> Preset:
    """The example with which a page opens, until the visitor chooses something."""
    name = SUITED_EXAMPLES.get(url_path, presets()[0].name)
    return next(preset for preset in presets() if preset.name == name)


def preset_of(scenario: Scenario) -> Preset | None:
    """The example whose scenario this is, if there is one."""
    return next((preset for preset in presets() if preset.scenario == scenario), None)


def widget_values(scenario: Scenario) -> dict[str, Any]:
    """A scenario as the session holds it: the values of all widgets, and the user's own numbers."""
    values = asdict(scenario)
    widgets = {control.name: widget_value(control, values[control.name]) for control in CONTROLS}
    painted = {"painted": scenario.painted} if scenario.painted else {}
    return widgets | {"edits": scenario.edits, "own": scenario.own} | painted


PRONOUN_LAYER, PRONOUN_HEAD = 3, 1  # of the trained model: a pronoun attends to its noun


def trained_head(scenario: Scenario) -> tuple[Scenario, Cell]:
    """The same sentence in a head of the trained model, and a cell of a pronoun."""
    trained = replace(scenario, weights="trained", layer=PRONOUN_LAYER)
    cell = Cell(PRONOUN_HEAD)
    with suppress(AttentionError):  # whoever runs the layer shows the error
        cell = choose_example_cell(trace_of(trained), PRONOUN_HEAD)
    return trained, cell
