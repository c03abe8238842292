"""The controls of the sidebar: one widget per field of `Scenario`, each bound to the URL.

Bounds never depend on another control: Streamlit ends the page when a
bound value falls outside moved bounds. The heads that are offered do, see `uneven_heads.py`.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import AttentionError
from attention_lab.choices import DECLARED, MAX_TEXT_LENGTH, fitting_heads
from attention_lab.control import Control
from attention_lab.control_list import CONTROL_GROUPS, Effects, effects_of, readable_at
from attention_lab.control_list import CONTROLS as CONTROLS
from attention_lab.scenario import LEFT_OPEN, Scenario
from attention_lab.url_values import url_text
from attention_lab.user_data.matrix_names import MAX_HEADS
from attention_viz.widgets import control_widget

from .acts import act
from .streamlit_private import session_values
from .uneven_heads import HEADS, offer_heads
from .url_state import (
    control_group,
    draw_bound,
    keep_in_url,
    must_draw,
    note_act,
    session,
    set_if_changed,
)
from .widgets import draw_widget

# Without the options of modern attention, which some pages leave out.
PLAIN_CONTROLS = tuple(one.name for one in CONTROLS if one.group != CONTROL_GROUPS[-1])
WIDTHS = ("d_k", "d_v", "d_o")
MAX_DIGITS = 5  # more than any size has


def draw_controls(
    used: Collection[str] | None = None, shown: str = ""
) -> tuple[Scenario, DeltaGenerator]:
    """Draw the controls in the sidebar; gives the choices, and a container below the sizes.

    used: the names of the controls that the page uses, None for all. Others are drawn out of sight,
    and only if they were moved or are in the URL, which a widget that is not drawn leaves. The
    sizes stand first but are drawn last, because the weights decide which of them have an effect.
    shown: the weights that a page shows in the place of those that are chosen; then the sizes are
    theirs.
    """
    held = session_values()
    values = {name: one.default for name, one in DECLARED.items()} | _held_by_session(held)
    apart = [] if used is None else [one for one in CONTROLS if one.name not in used]
    kept = [one for one in apart if must_draw(_defaults([one]), held)]
    if kept:
        with st.container(key="elsewhere"):
            keep_in_url(_defaults(kept), held)
            _draw_all(kept, values)
    with st.sidebar:
        sizes = st.container()
        below_sizes = st.container(key="place", horizontal=True, gap="xsmall")
        for group in CONTROL_GROUPS[1:]:
            if mine := [one for one in _of(group) if one not in apart]:
                with control_group(group, _defaults(mine), held) as open_ones:
                    _draw_all([one for one in mine if one.name in open_ones], values)
        with sizes:
            wanted = [one for one in _of(CONTROL_GROUPS[0]) if one not in apart]
            keep_in_url(_defaults(wanted), held)
            _draw_all(wanted, values, shown)
    return Scenario(**values | {"edits": "", "own": ""}), below_sizes


def _held_by_session(held: Mapping[str, Any]) -> dict[str, Any]:
    """What decides whether weights by hand fit, as the session holds it, or in a first run the URL:
    the sizes and the sentence, which are drawn last, and the user's own numbers.
    """
    values: dict[str, Any] = {}
    for name in ("text", "batch", "edits", "own", "n_tokens", "d_model", "n_heads", *WIDTHS):
        text, values[name] = _held(name, held), DECLARED[name].default
        if isinstance(values[name], str):
            values[name] = text[:MAX_TEXT_LENGTH]
        elif text.isascii() and text.isdigit() and len(text) < MAX_DIGITS:
            values[name] = int(text)
    if not 1 <= values[HEADS] <= MAX_HEADS:
        values[HEADS] = DECLARED[HEADS].default
    return values


def _held(name: str, held: Mapping[str, Any]) -> str:
    """A choice as the session holds it, or in a first run the URL."""
    return str(held.get(name, session().asked.get(name, [DECLARED[name].default])[-1]))


def _of(group: str) -> list[Control]:
    return [control for control in CONTROLS if control.group == group]


def _defaults(controls: Iterable[Control]) -> dict[str, Any]:
    return {control.name: control.held(control.default) for control in controls}


def _draw_all(controls: Iterable[Control], values: dict[str, Any], shown: str = "") -> None:
    weights = {"weights": shown} if shown else {}
    effects: Effects | None = None  # until a value changes
    for control in controls:
        effects = effects or effects_of(Scenario(**values | weights))
        decided, before = effects.decided, values[control.name]
        step, is_decided = 1, control.name in decided
        if control.name == "d_model" and len(_fitting_heads(values)) < MAX_HEADS:
            step = values[HEADS]  # the next size that the heads can share
        is_known, offered = session().has_scripts, None
        if control.name == HEADS and not is_decided:
            offered = st.container()  # a slider that changes its place loses the keyboard
        if offered and not is_known:  # a fresh server may hear of a move, which this adopts
            offer_heads(offered, values[HEADS], _fitting_heads(values), control)
        chosen = values[control.name] = _draw(control, not effects.has(control), step)
        if marked := readable_at(control.name, effects.chosen):
            st.caption(marked)
        if offered and is_known:  # the URL may have moved the bound one
            offer_heads(offered, chosen, _fitting_heads(values), control)
        if chosen != before:
            effects = effects_of(Scenario(**values | weights))
        counts = effects.decided.get(control.name, chosen)
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
    shown, key = control.said(value), f"{control.name} that counts"
    set_if_changed(key, shown)  # other weights may decide another value
    about = "The weights decide it. Other weights leave it free."
    st.text_input(control.label, shown, key=key, help=about, disabled=True)


# The controls whose change may change something else, or be more than the field can take.
THAT_ACT = ("text", "batch", "mask", "weights", "model", *LEFT_OPEN)


def _draw(control: Control, disabled: bool, step: int) -> Any:
    """Draw the widget of a control; gives its value. step: of a field for a whole number."""
    name, default = control.name, control.default
    settings: dict[str, Any] = {"key": name, "disabled": disabled, "on_change": note_act}
    if name in THAT_ACT:
        settings |= {"on_change": act, "args": (name,)}
    widget = control_widget(control, default)
    if isinstance(widget.step, int):
        widget = replace(widget, step=step)
    chosen = draw_widget(widget, draw_bound, **settings)
    with suppress(AttentionError):
        return default if chosen is None else control.read(url_text(chosen))
    return default
