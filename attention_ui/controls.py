"""The controls of the sidebar: one widget per field of `Scenario`, each bound to the URL.

Bounds (`FIELD_BOUNDS`, `CHOICES`) never depend on another control: Streamlit ends the page when a
bound value falls outside moved bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_lab.scenario import FIELD_BOUNDS, FIELD_CHOICES, MAX_TEXT_LENGTH, Scenario
from attention_lab.user_data.matrix_names import MAX_HEADS, MAX_MATRIX_WIDTH
from attention_lab.weight_changes import change_notes

from .control_list import CONTROL_DEFAULTS, GROUPS, Control, decided_values, widget_value
from .control_list import CONTROLS as CONTROLS
from .mask_choice import make_room_for_padding
from .url_state import bound, control_group, keep_in_url, must_draw, session, whole_number_input

TEXT_AREA_HEIGHT = 68  # px, two lines
MAX_DIGITS = 5  # more than any size has


def draw_controls(used: Collection[str] | None = None) -> tuple[Scenario, DeltaGenerator]:
    """Draw the controls in the sidebar; give what they say, and a place in a line below the sizes.

    used: the names of those that the page has a use for, if not all: others are drawn only where
    they are in use elsewhere. The sizes stand first but are drawn last: which of them matter
    depends on the weights.
    """
    values = dict(CONTROL_DEFAULTS) | _ahead()
    del values["edits"], values["own"], values["painted"]
    with st.sidebar:
        sizes = st.container()
        below_sizes = st.container(key="place", horizontal=True, gap="xsmall")
        for group in GROUPS[1:]:
            if used is None or must_draw(_defaults(_of(group))):
                with control_group(group, _defaults(_of(group))) as shown:
                    _draw_all([one for one in _of(group) if one.name in shown], values)
        with sizes:
            wanted = [
                one
                for one in _of(GROUPS[0])
                if used is None or one.name in used or must_draw(_defaults([one]))
            ]
            keep_in_url(GROUPS[0], _defaults(wanted))
            _draw_all(wanted, values)
    return Scenario(**values), below_sizes


def _ahead() -> dict[str, int]:
    """The sizes, which are drawn last but decide whether weights by hand fit: as the session holds
    them, or in a first run the address.
    """
    found = {}
    for name in ("d_model", "n_heads", "d_k", "d_v", "d_o"):
        asked = session().asked.get(name, [""])[-1]
        text = str(st.session_state.get(name, asked))
        is_number = text.isascii() and text.isdigit() and len(text) < MAX_DIGITS
        found[name] = int(text) if is_number else CONTROL_DEFAULTS[name]
    return found


def unused_controls(used: Collection[str]) -> tuple[str, ...]:
    """The controls that a page has no use for which uses these."""
    return tuple(control.name for control in CONTROLS if control.name not in used)


def _of(group: str) -> list[Control]:
    return [control for control in CONTROLS if control.group == group]


def _defaults(controls: Iterable[Control]) -> dict[str, Any]:
    return {
        control.name: widget_value(control, CONTROL_DEFAULTS[control.name]) for control in controls
    }


def sentence_notes(scenario: Scenario) -> tuple[str, ...]:
    """What the controls did to the input, in sentences."""
    fields = {"The sentence field": scenario.text, "The field of further sentences": scenario.batch}
    return tuple(note for field, text in fields.items() for note in field_notes(field, text))


def layer_notes(scenario: Scenario) -> tuple[str, ...]:
    """What became of the weights with the last choices, in sentences."""
    return change_notes(session().before, scenario)


def field_notes(field: str, text: str) -> tuple[str, ...]:
    """A note if a field for a sentence is full."""
    if len(text) < MAX_TEXT_LENGTH:
        return ()
    return (f"{field} holds at most {MAX_TEXT_LENGTH:,} characters; the rest is left out.",)


def _draw_all(controls: Iterable[Control], values: dict[str, Any]) -> None:
    for control in controls:
        shown = values[control.name] = _draw(control, disabled=not control.matters(values))
        counts = decided_values(values).get(control.name, shown)
        if counts != shown:
            _draw_decided(control, counts)


def _draw_decided(control: Control, counts: Any) -> None:
    """What counts in the place of the control, which keeps its value, and the address."""
    st.html(f"<style>.st-key-{control.name} {{ display: none; }}</style>")
    about: dict[str, Any] = {"key": f"{control.name} that counts", "disabled": True}
    about |= {"label": control.label, "help": "The weights decide it."}
    if isinstance(counts, bool):
        st.toggle(value=counts, **about)
    elif isinstance(counts, str):
        st.selectbox(options=(counts,), **about)
    elif control.zero:
        st.select_slider(options=(control.zero, "1"), **about)
    elif control.name == "n_heads":
        st.slider(min_value=1, max_value=MAX_HEADS, value=counts, **about)
    else:
        st.number_input(min_value=1, max_value=MAX_MATRIX_WIDTH, value=counts, **about)


def cut_text(key: str) -> None:
    """Cut what a sentence's field holds to its length: left to Streamlit, a longer paste
    vanishes without a word.
    """
    st.session_state[key] = (st.session_state[key] or "")[:MAX_TEXT_LENGTH]


def one_line(text: str) -> str:
    r"""A text without line breaks, which a URL or a file may hold: the field has one line.

    >>> one_line("the cat\n  and it")
    'the cat   and it'
    """
    return " ".join(text.splitlines())


# What a change of a control brings along, in a callback.
ON_CHANGE = {"text": cut_text, "batch": cut_text, "mask": make_room_for_padding}


def _draw(control: Control, disabled: bool) -> Any:
    """The widget that fits the field: its type and bounds decide."""
    name, default = control.name, CONTROL_DEFAULTS[control.name]
    about: dict[str, Any] = {"key": name, "help": control.help, "disabled": disabled}
    if change := ON_CHANGE.get(name):
        about |= {"on_change": change, "args": (name,)}
    if options := FIELD_CHOICES.get(name):
        chosen = bound(
            st.selectbox, control.label, options, options.index(default), required=True, **about
        )
        return chosen if chosen in options else default
    if isinstance(default, bool):
        return bool(bound(st.toggle, control.label, default, **about))
    if name == "batch":
        lines = bound(st.text_area, control.label, default, height=TEXT_AREA_HEIGHT, **about)
        return "\n".join((lines or "")[:MAX_TEXT_LENGTH].splitlines())
    if isinstance(default, str):
        text = bound(st.text_input, control.label, default, **about)
        return one_line(text or "")[:MAX_TEXT_LENGTH]
    low, high = FIELD_BOUNDS[name]
    if isinstance(default, float):
        typed = bound(
            st.number_input, control.label, low, high, default, step=0.1, format="%.3f", **about
        )
        return default if typed is None else float(typed)
    low, high = int(low), int(high)
    if control.zero:
        names = [widget_value(control, number) for number in range(high + 1)]
        return names.index(bound(st.select_slider, control.label, names, names[default], **about))
    if high <= 16:
        return int(bound(st.slider, control.label, low, high, default, **about))
    return whole_number_input(st, control.label, low, high, default, step=1, **about)
