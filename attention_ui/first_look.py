"""What a visitor sees before choosing anything: the first example, and of an own sentence a cell
worth telling.
"""

from __future__ import annotations

import json
from contextlib import suppress

import streamlit as st

from attention_core import AttentionError, Trace
from attention_lab.example_cell import Cell, choose_cell
from attention_lab.scenario import Scenario, trace_of
from attention_lab.state_file import FOCUS

from .presets import SENTENCE_KEY, is_untouched, preset_of, presets, widget_values
from .registry import OwnControls
from .url_state import requested, session, url_texts

OPENING_JS = """(() => {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(NAMED)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  history.replaceState(history.state, "", url);
})();
"""


def open_first_example(own: OwnControls | None) -> None:
    """Take over the first example where a visit begins without naming anything of a layer.

    own: of the page. Where no control counts the visit has not begun, for a layer; where the
    sentence counts it has begun with the default one.
    """
    now = session()
    if now.has_scripts:
        now.opening = {}  # done
    if now.begun:
        return
    is_named = _is_named()
    now.begun = is_named or not own or bool(own.used)
    if not own and not is_named:
        held = presets()[0].session_values
        st.session_state.update(held)
        usual = widget_values(Scenario()) | dict.fromkeys((*FOCUS, SENTENCE_KEY), 0)
        if not now.has_scripts:
            now.opening = url_texts({name: v for name, v in held.items() if v != usual[name]})


def opening_script() -> str:
    """What makes the address name the example that a visit opens with: before there is the script
    for it, all that Streamlit writes there would become entries of the history.
    """
    named = json.dumps(session().opening).replace("<", "\\u003c")
    return OPENING_JS.replace("NAMED", named) if session().opening else ""


def _is_named() -> bool:
    """Whether the address names a control or a place, or one was moved."""
    names = (*widget_values(Scenario()), *FOCUS, SENTENCE_KEY, "pin")
    is_moved = not is_untouched() or any(st.session_state.get(name) for name in FOCUS)
    return is_moved or not session().asked.keys().isdisjoint(names)


def track_scenario(page: str, scenario: Scenario, trace: Trace | None) -> None:
    """Note what the layer is run on; where the sentence is another and the place was not chosen by
    the visitor, look into a cell worth telling.

    page: where the change is told of. trace: None where no layer was run, which changes nothing.
    """
    now = session()
    if trace is None:
        return
    before, now.last = now.last, scenario
    if before != scenario:
        now.before = before
    elif now.url_path != page:
        now.before = None
    if before is not None and before.text != scenario.text and not _is_asked():
        held = tuple(st.session_state.get(name, 0) for name in FOCUS)
        if held in (Cell(), _told(before, held[0])):
            st.session_state.update((_told(scenario, held[0]) or Cell())._asdict())


def _is_asked() -> bool:
    """Whether the address asks for a place, or a step back takes one back."""
    return any(requested(name) is not None or name in session().taken_back for name in FOCUS)


def _told(scenario: Scenario, head: int) -> Cell | None:
    """The cell that a scenario is told by: an example's own, else one worth telling, in the same
    head.
    """
    with suppress(AttentionError):
        trace, preset = trace_of(scenario), preset_of(scenario)
        if preset and preset.focus:
            return preset.focus
        return choose_cell(trace, min(head, trace.sizes["H"] - 1))
    return None
