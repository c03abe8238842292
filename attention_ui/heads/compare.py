"""The control of which a page compares two values: which one it is, what it is set to, and what
moved.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import STEPS, AttentionError
from attention_core.checks import check_choice
from attention_lab.compare import COMPARABLE, TwoSettings, moved_most, other_value, value_in
from attention_lab.rounding import tolerance
from attention_lab.scenario import CHOICES, FIELD_BOUNDS, MAX_TEXT, Scenario
from attention_viz.labels import decimals, number, percent

from ..control_list import CONTROLS, DEFAULTS, Control
from ..facts import fact
from ..markdown import quoted
from ..url_state import ON_OFF, restore, set_if_changed, write_to_url

AGAINST, VALUE, USUAL, LABEL = "against", "value", "mask", "Changed control"
CONTROL = {control.name: control for control in CONTROLS if control.name in COMPARABLE}


def choose_setting(
    place: DeltaGenerator, where: DeltaGenerator, scenario: Scenario
) -> tuple[Control, Any]:
    """Draw which control is changed, and what it is set to beside the state; both are in the URL.

    Without a value in the URL it is another than the state's own. Gives the control and the value.
    """
    restore(AGAINST, LABEL, USUAL, partial(check_choice, AGAINST, choices=CONTROL))
    write_to_url(AGAINST, USUAL)
    key, held = "changed control", st.session_state[AGAINST]
    set_if_changed(key, held)
    name = place.selectbox(
        LABEL,
        tuple(CONTROL),
        tuple(CONTROL).index(held),
        format_func=lambda one: CONTROL[one].label,
        required=True,
        key=key,
        on_change=_change,
        args=(key,),
    )
    control = CONTROL[name]
    restore(VALUE, control.label, "", partial(_checked, control.name))
    value = other_value(scenario, control.name)
    with suppress(AttentionError):  # what was held for another control
        held = st.session_state[VALUE]
        value = value_in(control.name, held) if held else value
    _draw(where, control, value)
    write_to_url(VALUE, "")
    return control, value


def said_value(control: Control, value: Any) -> str:
    """A value of a control in words, as its widget calls it."""
    if isinstance(value, bool):
        return ON_OFF[value]
    return control.zero if control.zero and value == 0 else str(value)


def say_moved(two: TwoSettings, field: str, head: int, control: Control, *, matters: bool) -> None:
    """Which cell moved most, from what to what, with a way to it; or that nothing did.

    matters: whether the control has an effect with these settings at all.
    """
    rounding = max(tolerance(trace, field) for trace in (two.before, two.after))
    moved = fact("moved_most", moved_most(*two.matrices(field, head), rounding))
    title = STEPS[field].title
    if moved is None:
        idle = "" if matters else f" With these settings *{control.label}* has no effect."
        st.markdown(f"**Nothing moves:** the {title} of both are the same.{idle}")
        return
    gap, is_share = moved.after - moved.before, field == "probabilities"
    say = percent if is_share else number
    by = f"{decimals(100 * abs(gap), 1)} percentage points" if is_share else number(abs(gap))
    if field == "output":
        axis, of = "feature", f"feature {moved.column}"
    else:
        axis, of = "key", f":red[key {quoted(two.tokens, moved.column)}]"
    words, way = st.columns([5, 1], vertical_alignment="center")
    words.markdown(
        f"**Moved most** ({title}): :blue[query {quoted(two.tokens, moved.row)}], {of}, from"
        f" {say(moved.before)} to {say(moved.after)}: {'up' if gap > 0 else 'down'} by **{by}**."
    )
    cell = {"query": moved.row, axis: moved.column}
    way.button("Show it", on_click=st.session_state.update, args=(cell,), width="stretch")


def _checked(name: str, text: str) -> str:
    """The text of an address, if the control can be set to it. Raises: SettingsError."""
    if text:
        value_in(name, text)
    return text


def _draw(where: DeltaGenerator, control: Control, value: Any) -> None:
    """The widget that holds the value, of the kind of its control, with the same bounds."""
    key, default = f"{VALUE} of {control.name}", DEFAULTS[control.name]
    about: dict[str, Any] = {
        "label": "Set to",
        "key": key,
        "on_change": partial(_keep, key),
        "help": control.help,
    }
    set_if_changed(key, value)
    options = (False, True) if isinstance(default, bool) else CHOICES.get(control.name)
    if options:
        say = partial(said_value, control)
        where.selectbox(
            options=options, index=options.index(value), format_func=say, required=True, **about
        )
    elif isinstance(default, str):
        where.text_input(value=value, max_chars=MAX_TEXT, **about)
    else:
        low, high = (type(default)(end) for end in FIELD_BOUNDS[control.name])
        step = 0.1 if isinstance(default, float) else 1
        where.number_input(min_value=low, max_value=high, value=value, step=step, **about)


def _change(key: str) -> None:
    """In a callback: another control, at its usual other value."""
    st.session_state.update({AGAINST: st.session_state[key], VALUE: ""})


def _keep(key: str) -> None:
    """In a callback: the value that was chosen; an emptied field leaves the one before."""
    value = st.session_state[key]
    if value not in (None, ""):
        st.session_state[VALUE] = str(value).lower() if isinstance(value, bool) else str(value)
