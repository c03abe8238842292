"""The examples of assets/presets.json: each sets every control, to a value of its own or to the
default, and tells of one cell.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from attention_lab.example_cell import Cell, choose_cell
from attention_lab.scenario import Scenario, trace_of

from .control_list import CONTROLS, widget_value
from .url_state import session

EXAMPLE_KEY = "example"
SENTENCE_KEY = "sentence"  # which one of a batch is shown
PRESET_FILE = Path(__file__).parent.parent / "assets" / "presets.json"


@dataclass(frozen=True)
class Preset:
    """An example: its name, what to look at, the scenario, and the cell that it tells of; where
    none is given, the one that any sentence tells of.
    """

    name: str
    says: str
    scenario: Scenario
    focus: Cell | None = None

    @property
    def held(self) -> dict[str, Any]:
        """Everything that the example sets, as the session holds it."""
        cell = self.focus or choose_cell(trace_of(self.scenario))
        return widget_values(self.scenario) | cell._asdict() | {SENTENCE_KEY: 0}


@lru_cache(maxsize=1)
def presets() -> tuple[Preset, ...]:
    """All examples, in the order of the file."""
    entries = json.loads(PRESET_FILE.read_text(encoding="utf-8"))
    return tuple(
        Preset(
            entry["name"],
            entry["says"],
            Scenario(**entry["scenario"]),
            Cell(**entry["focus"]) if "focus" in entry else None,
        )
        for entry in entries
    )


def preset_of(scenario: Scenario) -> Preset | None:
    """The example whose scenario this is, if there is one."""
    return next((preset for preset in presets() if preset.scenario == scenario), None)


def choose_example(scenario: Scenario, explained: bool) -> None:
    """The select box of examples; it shows the one whose scenario this is, or none. explained:
    with what to look at.
    """
    names = [preset.name for preset in presets()]
    current = preset_of(scenario)
    shown = current.name if current else None
    if EXAMPLE_KEY not in st.session_state or st.session_state[EXAMPLE_KEY] != shown:
        # A change of the page in a callback forgets the box, which the browser keeps.
        st.session_state[EXAMPLE_KEY] = shown
    st.selectbox(
        "Example",
        names,
        index=None,
        key=EXAMPLE_KEY,
        on_change=_load,
        args=(scenario,),
        placeholder="Your own: choose an example",
        help="Sets every control.",
    )
    if explained and current:
        st.caption(current.says)


def _load(shown: Scenario) -> None:
    """Set every control to the chosen example, and look into its cell, unless another control has
    moved since the select box was drawn.

    A browser that has not yet heard of the last change sends the example it still shows along with
    the next change, which looks like a choice; the user's text would be lost.
    """
    chosen = next(
        (preset for preset in presets() if preset.name == st.session_state[EXAMPLE_KEY]), None
    )
    if chosen and all(
        st.session_state.get(name, value) == value for name, value in widget_values(shown).items()
    ):
        st.session_state.update(chosen.held)
        session().last = chosen.scenario


def is_untouched() -> bool:
    """Whether every control is at its default, and nothing is the user's own."""
    unmoved = widget_values(Scenario())
    return all(st.session_state.get(name, value) == value for name, value in unmoved.items())


def widget_values(scenario: Scenario) -> dict[str, Any]:
    """A scenario as the session holds it: every control's widget, and the user's own numbers."""
    values = asdict(scenario)
    held = {control.name: widget_value(control, values[control.name]) for control in CONTROLS}
    painted = {"painted": scenario.painted} if scenario.painted else {}
    return held | {"edits": scenario.edits, "own": scenario.own} | painted
