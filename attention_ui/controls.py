"""The controls of the sidebar: one widget per field of `Scenario`, each bound to the URL.

Bounds (`FIELD_BOUNDS`, `CHOICES`) never depend on another control: Streamlit ends the page when a
bound value falls outside moved bounds. The heads that are offered do, see `uneven_heads.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_lab.choices import FIELD_BOUNDS, FIELD_CHOICES, MAX_TEXT_LENGTH, fitting_heads
from attention_lab.control_list import (
    CONTROL_DEFAULTS,
    CONTROL_GROUPS,
    Control,
    decided_values,
    readable_at,
    value_in_words,
    widget_value,
)
from attention_lab.control_list import CONTROLS as CONTROLS
from attention_lab.scenario import LEFT_OPEN, Scenario, first_step
from attention_lab.user_data.matrix_names import MAX_HEADS

from .mask_choice import make_room_for_padding
from .model_choice import choose_weights
from .streamlit_private import session_values
from .uneven_heads import HEADS, offer_heads
from .url_state import (
    control_group,
    draw_bound,
    keep_in_url,
    must_draw,
    session,
    set_if_changed,
    whole_number_input,
)

TEXT_AREA_HEIGHT = 68  # px, two lines
WIDTHS = ("d_k", "d_v", "d_o")
MAX_DIGITS = 5  # more than any size has


def draw_controls(
    used: Collection[str] | None = None, shown: str = ""
) -> tuple[Scenario, DeltaGenerator]:
    """Draw the controls in the sidebar; gives the choices, and a container below the sizes.

    used: the names of the controls that the page uses, None for all; others are drawn only if they
    were moved or are in the URL. The sizes stand first but are drawn last, because the weights
    decide which of them have an effect. shown: the weights that a page shows in the place of those
    that are chosen; then the sizes are theirs.
    """
    held = session_values()
    values = dict(CONTROL_DEFAULTS) | _held_by_session(held)
    with st.sidebar:
        sizes = st.container()
        below_sizes = st.container(key="place", horizontal=True, gap="xsmall")
        for group in CONTROL_GROUPS[1:]:
            if used is None or must_draw(_defaults(_of(group)), held):
                with control_group(group, _defaults(_of(group)), held) as open_ones:
                    _draw_all([one for one in _of(group) if one.name in open_ones], values)
        with sizes:
            wanted = [
                one
                for one in _of(CONTROL_GROUPS[0])
                if used is None or one.name in used or must_draw(_defaults([one]), held)
            ]
            keep_in_url(CONTROL_GROUPS[0], _defaults(wanted), held)
            _draw_all(wanted, values, shown)
    del values["edits"], values["own"]
    return Scenario(**values), below_sizes


def _held_by_session(held: Mapping[str, Any]) -> dict[str, Any]:
    """What decides whether weights by hand fit, as the session holds it, or in a first run the URL:
    the sizes and the sentence, which are drawn last, and the user's own numbers.
    """
    found: dict[str, Any] = {}
    for name in ("text", "batch", "edits", "own", "n_tokens", "d_model", "n_heads", *WIDTHS):
        text = _held(name, held)
        found[name] = CONTROL_DEFAULTS[name]
        if isinstance(found[name], str):
            found[name] = text[:MAX_TEXT_LENGTH]
        elif text.isascii() and text.isdigit() and len(text) < MAX_DIGITS:
            found[name] = int(text)
    if not 1 <= found[HEADS] <= MAX_HEADS:
        found[HEADS] = CONTROL_DEFAULTS[HEADS]
    return found


def _held(name: str, held: Mapping[str, Any]) -> str:
    """A choice as the session holds it, or in a first run the URL."""
    return str(held.get(name, session().asked.get(name, [CONTROL_DEFAULTS[name]])[-1]))


def unused_controls(used: Collection[str]) -> tuple[str, ...]:
    """The controls that a page does not use; used: those that it uses."""
    return tuple(control.name for control in CONTROLS if control.name not in used)


def _of(group: str) -> list[Control]:
    return [control for control in CONTROLS if control.group == group]


def _defaults(controls: Iterable[Control]) -> dict[str, Any]:
    return {
        control.name: widget_value(control, CONTROL_DEFAULTS[control.name]) for control in controls
    }


def _draw_all(controls: Iterable[Control], values: dict[str, Any], shown: str = "") -> None:
    weights = {"weights": shown} if shown else {}
    decided: Mapping[str, Any] | None = None  # until a value changes
    for control in controls:
        decided = decided_values(values | weights) if decided is None else decided
        step, is_decided, before = 1, control.name in decided, values[control.name]
        if control.name == "d_model" and len(_fitting_heads(values)) < MAX_HEADS:
            step = values[HEADS]  # the next size that the heads can share
        is_known, offered = session().has_scripts, None
        if control.name == HEADS and not is_decided:
            offered = st.container()  # a slider that changes its place loses the keyboard
        if offered and not is_known:  # a fresh server may hear of a move, which this adopts
            offer_heads(offered, values[HEADS], _fitting_heads(values), control)
        is_idle = not control.matters(values, decided)
        chosen = values[control.name] = _draw(control, is_idle, step)
        if marked := readable_at(control.name, values):
            st.caption(marked)
        if offered and is_known:  # the URL may have moved the bound one
            offer_heads(offered, chosen, _fitting_heads(values), control)
        if chosen != before:
            decided = decided_values(values | weights)
        counts = decided.get(control.name, chosen)
        if counts != chosen or (control.name == HEADS and is_decided):
            _draw_decided(control, counts)


def _fitting_heads(values: dict[str, Any]) -> tuple[int, ...]:
    """The numbers of heads that fit the choices and the user's own matrices."""
    scenario = Scenario(**values)
    own = str(st.session_state.get("own", ""))
    return fitting_heads(replace(scenario, own=own)) or fitting_heads(scenario)


def _draw_decided(control: Control, value: Any) -> None:
    """Draw the value that the weights decide, as a text, in the place of a control, which keeps its
    own value and the URL.
    """
    st.html(f"<style>.st-key-{control.name} {{ display: none; }}</style>")
    shown, key = value_in_words(control, value), f"{control.name} that counts"
    set_if_changed(key, shown)  # other weights may decide another value
    about = "The weights decide it. Other weights leave it free."
    st.text_input(control.label, shown, key=key, help=about, disabled=True)


def cut_text(key: str) -> None:
    """In a callback: cut the text of a field to its length. Streamlit itself would drop a longer
    paste without a word.
    """
    st.session_state[key] = (st.session_state[key] or "")[:MAX_TEXT_LENGTH]


def one_line(text: str) -> str:
    r"""A text without line breaks, which a URL or a file may hold: the field has one line.

    >>> one_line("the cat\n  and it")
    'the cat   and it'
    """
    return " ".join(text.splitlines())


def take_first_step(key: str) -> None:
    """In a callback: a size that was left open moves to what it was, not to 1."""
    last, held = session().last, str(st.session_state[key])
    if last and held.isdigit():
        before = replace(last, text=st.session_state.get("text", last.text))
        set_if_changed(key, str(first_step(before, key, int(held))))


# The callbacks of controls whose change changes something else, too.
ON_CHANGE = {
    "text": cut_text,
    "batch": cut_text,
    "mask": make_room_for_padding,
    "weights": choose_weights,
    **dict.fromkeys(LEFT_OPEN, take_first_step),
}


def _draw(control: Control, disabled: bool, step: int) -> Any:
    """Draw the widget of a control, which its type and bounds decide; gives its value. step: of a
    field for a whole number.
    """
    name, default = control.name, CONTROL_DEFAULTS[control.name]
    about: dict[str, Any] = {"key": name, "help": control.help, "disabled": disabled}
    if change := ON_CHANGE.get(name):
        about |= {"on_change": change, "args": (name,)}
    if options := FIELD_CHOICES.get(name):
        chosen = draw_bound(
            st.selectbox, control.label, options, options.index(default), required=True, **about
        )
        return chosen if chosen in options else default
    if isinstance(default, bool):
        return bool(draw_bound(st.toggle, control.label, default, **about))
    if name == "batch":
        lines = draw_bound(st.text_area, control.label, default, height=TEXT_AREA_HEIGHT, **about)
        return "\n".join((lines or "")[:MAX_TEXT_LENGTH].splitlines())
    if isinstance(default, str):
        text = draw_bound(st.text_input, control.label, default, **about)
        return one_line(text or "")[:MAX_TEXT_LENGTH]
    low, high = FIELD_BOUNDS[name]
    if isinstance(default, float):
        typed = draw_bound(
            st.number_input, control.label, low, high, default, step=0.1, format="%.3f", **about
        )
        return default if typed is None else float(typed)
    low, high = int(low), int(high)
    if control.zero:
        names = [widget_value(control, number) for number in range(high + 1)]
        return names.index(
            draw_bound(st.select_slider, control.label, names, names[default], **about)
        )
    if high <= 16:
        return int(draw_bound(st.slider, control.label, low, high, default, **about))
    return whole_number_input(st, control.label, low, high, default, step=step, **about)
