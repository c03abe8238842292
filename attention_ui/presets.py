"""The examples of assets/data/presets.json: each sets every control and the cell in focus."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from attention_core import AttentionError
from attention_lab.by_hand import Cell, choose_example_cell
from attention_lab.choices import resolve
from attention_lab.control_list import CONTROLS, widget_value
from attention_lab.scenario import Scenario, trace_of

from .url_state import session

EXAMPLE_KEY = "example"
SENTENCE_KEY = "sentence"  # the number of the shown sentence of a batch
PRESET_FILE = Path(__file__).parent.parent / "assets" / "data" / "presets.json"

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
    """An example. hint: what to look at; focus: the cell, or None for the cell of `choose_cell`."""

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


def choose_example(scenario: Scenario, explained: bool) -> None:
    """The select box of examples; it shows the example with this scenario, if there is one.
    explained: whether its hint is shown, or in its place what the visitor chose.
    """
    names = [preset.name for preset in presets()]
    current = preset_of(scenario)
    shown = current.name if current else None
    if EXAMPLE_KEY not in st.session_state or st.session_state[EXAMPLE_KEY] != shown:
        # After a change of the page in a callback, Streamlit forgets the box, but not the browser.
        st.session_state[EXAMPLE_KEY] = shown
    st.selectbox(
        "Example",
        names,
        index=None,
        required=True,  # nothing can be taken out of it: an example is left by another choice
        key=EXAMPLE_KEY,
        on_change=_load,
        args=(scenario,),
        placeholder="Your own: choose an example",
        help="Sets every control.",
    )
    if explained:
        st.caption(current.hint if current else _own_choices(scenario))


def _own_choices(scenario: Scenario) -> str:
    """What is shown where it is no example."""
    with suppress(AttentionError):  # the page explains it
        scenario = resolve(scenario)
    chosen = (scenario.weights, scenario.n_heads, scenario.mask)
    numbers = " Some numbers are your own." * bool(scenario.edits or scenario.own)
    return "Your own choices. Weights: {}. Heads: {}. Mask: {}.".format(*chosen) + numbers


def _load(shown: Scenario) -> None:
    """In a callback: set every control to the chosen example, unless another control has changed
    since the select box was drawn.

    A browser that has not received the last change sends the example that it still shows with the
    next change. That looks like a choice, and the user's text would be lost.
    """
    chosen = next(
        (preset for preset in presets() if preset.name == st.session_state[EXAMPLE_KEY]), None
    )
    if chosen and is_held(shown):
        st.session_state.update(chosen.session_values)
        session().last = chosen.scenario


def is_held(scenario: Scenario) -> bool:
    """Whether the session holds a scenario; what it does not hold yet counts as the same."""
    held = st.session_state
    return all(held.get(name, value) == value for name, value in widget_values(scenario).items())


def widget_values(scenario: Scenario) -> dict[str, Any]:
    """A scenario as the session holds it: the values of all widgets, and the user's own numbers."""
    values = asdict(scenario)
    widgets = {control.name: widget_value(control, values[control.name]) for control in CONTROLS}
    painted = {"painted": scenario.painted} if scenario.painted else {}
    return widgets | {"edits": scenario.edits, "own": scenario.own} | painted
