"""The select box of the examples, which sets every control and the cell in focus."""

from contextlib import suppress

import streamlit as st

from attention_core import AttentionError
from attention_lab.choices import resolve
from attention_lab.presets import preset_of, presets, widget_values
from attention_lab.scenario import Scenario
from attention_lab.sentences import weights_in_force

from .acts import act

EXAMPLE_KEY = "example"


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
        scenario = resolve(weights_in_force(scenario)).chosen
    chosen = (scenario.weights, scenario.n_heads, scenario.mask)
    numbers = " Some numbers are your own." * bool(scenario.edits or scenario.own)
    return "Your own choices. Weights: {}. Heads: {}. Mask: {}.".format(*chosen) + numbers


def _load(shown: Scenario) -> None:
    """In a callback: set every control to the chosen example, unless another control has changed
    since the select box was drawn.

    A browser that has not received the last change sends the example that it still shows with the
    next change. That looks like a choice, and the user's text would be lost.
    """
    if is_held(shown):
        act(EXAMPLE_KEY)


def is_held(scenario: Scenario) -> bool:
    """Whether the session holds a scenario; what it does not hold yet counts as the same."""
    held = st.session_state
    return all(held.get(name, value) == value for name, value in widget_values(scenario).items())
