"""What the pages about heads let a visitor choose: heads, a kind of sharing, a task, a setting."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import STEPS, AttentionError, SettingsError, Trace
from attention_core.checks import check_choice
from attention_core.projection_checks import divisors
from attention_lab.choices import FIELD_BOUNDS, FIELD_CHOICES, MAX_TEXT_LENGTH
from attention_lab.compare import COMPARABLE, TwoSettings, largest_change, other_value, value_in
from attention_lab.construct import HEAD_TASKS, HeadTask, judge_task
from attention_lab.control_list import CONTROL_DEFAULTS, CONTROLS, Control
from attention_lab.presets import widget_values
from attention_lab.rounding import tolerance
from attention_lab.scenario import Scenario
from attention_lab.url_values import parse_place
from attention_lab.user_data.matrix_names import MAX_MATRIX_WIDTH
from attention_viz.labels import format_decimals, format_number, format_percent
from attention_viz.markdown import quote_token

from ..focus import move_focus
from ..url_state import (
    PERSISTENCE,
    SWITCH_LABELS,
    draw_bound,
    refuse,
    restore,
    session,
    set_if_changed,
    whole_number_input,
    write_to_url,
)

MAX_HEADS_TEXT = 200  # of heads in the URL


def choose_heads(name: str, label: str, n_heads: int, help: str) -> tuple[int, ...]:
    """Draw one switch for each head; return the heads that are on. The URL holds them as "0.2.3".

    Heads that the layer does not have are left out, with a message if the URL named them.
    """
    asked = restore(name, label, "", _heads_from_url)
    heads = _as_numbers(st.session_state[name])
    if asked is not None and any(head >= n_heads for head in heads):
        last = n_heads - 1
        refuse(label, asked, f"; the last head here is {last}")
    key = f"switches {name}"
    on = [head for head in heads if head < n_heads]
    set_if_changed(key, on)
    chosen = st.pills(
        label,
        range(n_heads),
        selection_mode="multi",
        default=on,
        key=key,
        help=help,
        on_change=partial(_keep_heads, name, key),
    )
    write_to_url(name, "")
    return tuple(sorted(chosen))


def _keep_heads(name: str, key: str) -> None:
    """In a callback: hold the chosen heads as text."""
    st.session_state[name] = ".".join(map(str, sorted(st.session_state[key])))


def _as_numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part]


def _heads_from_url(given: str) -> str:
    """The heads in order, each once. Raises: SettingsError."""
    parts = [part for part in given.split(".") if given]
    is_readable = len(given) <= MAX_HEADS_TEXT
    if not is_readable or not all(part.isascii() and part.isdigit() for part in parts):
        raise SettingsError("Heads are numbers with dots between, such as 0.2; the choice stays")
    return ".".join(map(str, sorted({parse_place(part) for part in parts})))


HALF = 0  # key/value heads of GQA, until a number is chosen
SHARING_KINDS = ("MHA", "GQA", "MQA", "MLA")
LATENT_WIDTH = 8  # of MLA, until another is chosen


def choose_kv_heads(n_groups: int) -> int:
    """Draw the choice of the number of key/value heads of GQA.

    Until one is chosen, it is half of the heads. A number that does not divide the heads becomes
    the largest smaller one that does, with a message if the URL named it.
    """
    label = "Key/value heads of GQA"
    asked = restore("groups", label, HALF, _kv_heads_from_url)
    choices, groups = divisors(n_groups), int(st.session_state["groups"])
    groups = groups or max(1, n_groups // 2)
    possible = max(choice for choice in choices if choice <= groups)
    if asked is not None and asked.isdigit() and possible < groups:
        refuse(label, asked, f"; {possible} is shown")
    set_if_changed("switch groups", possible)
    st.segmented_control(
        label,
        choices,
        default=possible,
        required=True,
        key="switch groups",
        on_change=_keep_kv_heads,
        help="The number must divide the number of heads, so that all groups have the same size.",
    )
    write_to_url("groups", HALF)
    return possible


def choose_latent_width(most: int) -> int:
    """Draw the choice of the width of MLA's latents; beyond `most` nothing changes."""
    asked = whole_number_input(
        st,
        "Latent width R of MLA",
        1,
        MAX_MATRIX_WIDTH,
        LATENT_WIDTH,
        key="latent",
        width=180,
        help="How many numbers MLA keeps of each token, for the keys and values of all heads.",
        **PERSISTENCE,
    )
    return min(asked, most)


def _keep_kv_heads() -> None:
    """In a callback: hold the chosen number."""
    st.session_state["groups"] = st.session_state["switch groups"]


def _kv_heads_from_url(given: str) -> int:
    """A number of key/value heads. Raises: SettingsError."""
    if given.isascii() and given.isdigit() and given.strip("0"):
        return parse_place(given)
    raise SettingsError("Key/value heads are a whole number from 1; the choice stays")


def clicked_kind() -> str:
    """The kind whose cell is pinned, from the URL or a click."""
    restore(
        "kind",
        "Kind of sharing",
        SHARING_KINDS[0],
        partial(check_choice, "kind", choices=SHARING_KINDS),
    )
    write_to_url("kind", SHARING_KINDS[0])
    return str(st.session_state["kind"])


def choose_clicked_kind(kind: str, index: list[int]) -> None:
    """In a callback: move the focus to a cell of one kind. index: head, query and key."""
    if kind in SHARING_KINDS:
        st.session_state["kind"] = kind
        move_focus([("H", None), ("T", None), ("S", None)], index)


MATRIX_OF_LABEL = {"W_Q": "w_q", "W_K": "w_k", "W_V": "w_v", "W_O": "w_o"}
LABEL_OF_MATRIX = {name: label for label, name in MATRIX_OF_LABEL.items()}


def choose_task() -> HeadTask:
    """The task that is chosen; its title stands in the URL."""
    titles = {task.title: task for task in HEAD_TASKS.values()}
    chosen = draw_bound(
        st.selectbox, "Task", tuple(titles), key="construct_task", required=True, **PERSISTENCE
    )
    return titles[chosen]


def choose_matrix(task: HeadTask) -> str:
    """The matrix that is edited, at first the one to begin with."""
    chosen = st.segmented_control(
        "Matrix to edit",
        tuple(MATRIX_OF_LABEL),
        default=LABEL_OF_MATRIX[task.matrix],
        key=f"construct matrix {task.id}",
        required=True,
    )
    return MATRIX_OF_LABEL[chosen or LABEL_OF_MATRIX[task.matrix]]


def load_start(task: HeadTask) -> None:
    """In a callback: the layer that the task starts from, in place of the one that is shown."""
    st.session_state.update(widget_values(task.start))
    session().last = task.start


def show_start_button(task: HeadTask, is_start: bool) -> None:
    """Begin, or begin anew."""
    st.button(
        "Start from here" if not is_start else "This is the start",
        icon=":material/restart_alt:",
        on_click=load_start,
        args=(task,),
        disabled=is_start,
        key="construct start",
        help="Sets every control and takes back all edits.",
    )


def show_verdict(trace: Trace, task: HeadTask) -> None:
    """What is there, and what is missing."""
    parts = judge_task(trace, task.id)
    if all(part.done for part in parts):
        st.success("Done: the layer does what was asked.", icon=":material/check_circle:")
    for part in parts:
        missing = f" **Missing:** {part.missing}" if part.missing else ""
        mark = ":material/check:" if part.done else ":material/radio_button_unchecked:"
        st.markdown(f"{mark} {part.goal}{missing}")


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
        on_change=_change_control,
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
    moved = largest_change(*two.matrices(field, head), rounding)
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
        "on_change": partial(_keep_value, key),
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


def _change_control(key: str) -> None:
    """In a callback: another control, with its first other value."""
    st.session_state.update({AGAINST: st.session_state[key], VALUE: ""})


def _keep_value(key: str) -> None:
    """In a callback: hold the chosen value. An empty field keeps the value before."""
    value = st.session_state[key]
    if value not in (None, ""):
        st.session_state[VALUE] = {True: "true", False: "false"}.get(value, str(value))
