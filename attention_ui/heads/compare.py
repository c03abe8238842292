"""The parts of the page that compares two settings: the changed control, and what changed."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import STEPS, AttentionError
from attention_core.checks import check_choice
from attention_lab.choices import FIELD_BOUNDS, FIELD_CHOICES, MAX_TEXT_LENGTH
from attention_lab.compare import COMPARABLE, TwoSettings, largest_change, other_value, value_in
from attention_lab.rounding import tolerance
from attention_lab.scenario import Scenario
from attention_viz.labels import format_decimals, format_number, format_percent

from ..control_list import CONTROL_DEFAULTS, CONTROLS, Control
from ..facts import fact
from ..markdown import quote_token
from ..url_state import SWITCH_LABELS, restore, set_if_changed, write_to_url

AGAINST, VALUE = "against", "value"  # the names in the URL
FIRST_CONTROL, LABEL = "mask", "Changed control"
COMPARABLE_CONTROLS = {control.name: control for control in CONTROLS if control.name in COMPARABLE}


def choose_setting(
    place: DeltaGenerator, where: DeltaGenerator, scenario: Scenario
) -> tuple[Control, Any]:
    """Draw the choice of the changed control and its other value; return both. The URL holds them.

    Without a value in the URL, the value is another one than that of the sidebar.
    """
    restore(
        AGAINST, LABEL, FIRST_CONTROL, partial(check_choice, AGAINST, choices=COMPARABLE_CONTROLS)
    )
    write_to_url(AGAINST, FIRST_CONTROL)
    key, held = "changed control", st.session_state[AGAINST]
    set_if_changed(key, held)
    name = place.selectbox(
        LABEL,
        tuple(COMPARABLE_CONTROLS),
        tuple(COMPARABLE_CONTROLS).index(held),
        format_func=lambda one: COMPARABLE_CONTROLS[one].label,
        required=True,
        key=key,
        on_change=_change,
        args=(key,),
    )
    control = COMPARABLE_CONTROLS[name]
    restore(VALUE, control.label, "", partial(_check_value, control.name))
    value = other_value(scenario, control.name)
    with suppress(AttentionError):  # the held value may be that of another control
        held = st.session_state[VALUE]
        value = value_in(control.name, held) if held else value
    _draw_value(where, control, value)
    write_to_url(VALUE, "")
    return control, value


def format_setting(control: Control, value: Any) -> str:
    """A value of a control in words, as its widget shows it."""
    if isinstance(value, bool):
        return SWITCH_LABELS[value]
    if control.zero and value == 0:
        return control.zero
    return str(value)


def show_largest_change(
    two: TwoSettings, field: str, head: int, control: Control, *, matters: bool
) -> None:
    """The cell with the largest change and a button that moves the focus there; or that nothing
    changed.

    matters: whether the control has an effect with these settings.
    """
    rounding = max(tolerance(trace, field) for trace in (two.before, two.after))
    moved = fact("moved_most", largest_change(*two.matrices(field, head), rounding))
    title = STEPS[field].title
    if moved is None:
        st.markdown(f"**No change:** the {title} of both layers are the same.")
        if not matters:
            st.markdown(f"With these settings *{control.label}* has no effect.")
        return
    axis, of = "key", f":red[key {quote_token(two.tokens, moved.column)}]"
    if field == "output":
        axis, of = "feature", f"feature {moved.column}"
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.markdown(
        f"**Largest change** ({title}): :blue[query {quote_token(two.tokens, moved.row)}], {of}:"
        f" {_format_change(moved.before, moved.after, field)}."
    )
    cell = {"query": moved.row, axis: moved.column}
    button.button("Show it", on_click=st.session_state.update, args=(cell,), width="stretch")


def _format_change(before: float, after: float, field: str) -> str:
    """Both numbers and the change; shares in percent."""
    sign = "+" if after > before else "−"
    if field == "probabilities":
        change = f"{sign}{format_decimals(100 * abs(after - before), 1)} percentage points"
        return f"{format_percent(before)} → {format_percent(after)}, **{change}**"
    change = f"{sign}{format_number(abs(after - before))}"
    return f"{format_number(before)} → {format_number(after)}, **{change}**"


def _check_value(name: str, text: str) -> str:
    """The text of a URL, if the control can have this value. Raises: SettingsError."""
    if text:
        value_in(name, text)
    return text


def _draw_value(where: DeltaGenerator, control: Control, value: Any) -> None:
    """Draw the widget for the value: that of the control, with the same bounds."""
    key, default = f"{VALUE} of {control.name}", CONTROL_DEFAULTS[control.name]
    about: dict[str, Any] = {
        "label": "Set to",
        "key": key,
        "on_change": partial(_keep, key),
        "help": control.help,
    }
    set_if_changed(key, value)
    options: tuple[Any, ...] = FIELD_CHOICES.get(control.name, ())
    if isinstance(default, bool):
        options = (False, True)
    if options:
        say = partial(format_setting, control)
        where.selectbox(
            options=options, index=options.index(value), format_func=say, required=True, **about
        )
    elif isinstance(default, str):
        where.text_input(value=value, max_chars=MAX_TEXT_LENGTH, **about)
    else:
        low, high = (type(default)(end) for end in FIELD_BOUNDS[control.name])
        step = {float: 0.1, int: 1}[type(default)]
        where.number_input(min_value=low, max_value=high, value=value, step=step, **about)


def _change(key: str) -> None:
    """In a callback: another control, with its first other value."""
    st.session_state.update({AGAINST: st.session_state[key], VALUE: ""})


def _keep(key: str) -> None:
    """In a callback: hold the chosen value. An empty field keeps the value before."""
    value = st.session_state[key]
    if value not in (None, ""):
        st.session_state[VALUE] = {True: "true", False: "false"}.get(value, str(value))
