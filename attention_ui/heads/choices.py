"""What the pages about heads let a visitor choose: heads, a kind of sharing, a task, a setting."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import SettingsError, Trace
from attention_core.checks import check_choice
from attention_core.projection_checks import divisors
from attention_lab.construct import HEAD_TASKS, HeadTask, judge_task
from attention_lab.presets import widget_values
from attention_lab.url_values import parse_place
from attention_lab.user_data.matrix_names import MAX_MATRIX_WIDTH

from ..focus import move_focus
from ..url_state import (
    PERSISTENCE,
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
