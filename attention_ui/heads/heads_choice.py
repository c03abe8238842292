"""What the pages about heads let a visitor choose: some heads, a measure, a way of sharing."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import SettingsError
from attention_core.checks import check_choice, divisors
from attention_lab.heads.head_portraits import MEASURES
from attention_lab.user_data.matrix_names import MAX_HEADS

from ..focus import follow_cell
from ..url_state import place_in, refuse, restore, set_if_changed, write_to_url

KINDS = ("MHA", "GQA", "MQA")
MEASURE_NAMES = tuple(measure.name for measure in MEASURES)


def choose_heads(name: str, label: str, n_heads: int, help: str) -> tuple[int, ...]:
    """Draw one switch per head and give those that are on, in the address as "0.2.3".

    Heads that this layer has not are passed over, which is said if the address asked for them.
    """
    asked = restore(name, label, "", _read)
    heads = _heads(st.session_state[name])
    if asked is not None and any(head >= n_heads for head in heads):
        last = n_heads - 1
        refuse(label, asked, f"; the last head here is {last}", last)
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
        on_change=partial(_keep, name, key),
    )
    write_to_url(name, "")
    return tuple(sorted(chosen))


def choose_groups(n_groups: int) -> int:
    """Draw the choice of how many key/value heads there are between one and all; a number that does
    not divide moves to the largest one below it that does, which is said if the address asked for
    it.
    """
    label = "Key/value heads of GQA"
    asked = restore("groups", label, 2, _groups)
    choices, groups = divisors(n_groups), int(st.session_state["groups"])
    wanted = max(choice for choice in choices if choice <= groups)
    if asked is not None and asked.isdigit() and wanted < groups:
        refuse(label, asked, f"; {wanted} is shown", wanted)
    set_if_changed("switch groups", wanted)
    st.segmented_control(
        label,
        choices,
        default=wanted,
        required=True,
        key="switch groups",
        on_change=_keep_groups,
        help="G must divide the number of heads, so that all groups are of one size.",
    )
    write_to_url("groups", 2)
    return wanted


def _keep_groups() -> None:
    st.session_state["groups"] = st.session_state["switch groups"]


def _groups(given: str) -> int:
    if given.isascii() and given.isdigit() and given.strip("0"):
        return place_in(given)
    raise SettingsError("G is a whole number from 1, so the choice stays")


def pinned_kind() -> str:
    """The way of sharing whose cell is pinned, from the address or a click: MHA, GQA or MQA."""
    restore("kind", "Way of sharing", KINDS[0], partial(check_choice, "kind", choices=KINDS))
    write_to_url("kind", KINDS[0])
    return str(st.session_state["kind"])


def pin_kind(kind: str, index: list[int]) -> None:
    """In a callback: move the focus to a cell of a way of sharing; index: head, query and key."""
    if kind in KINDS:
        st.session_state["kind"] = kind
        follow_cell([("H", None), ("T", None), ("S", None)], index)


def open_portrait(bar: object) -> None:
    """Go to the measure and the head of a clicked bar; what a browser of ours would not send is
    passed over.
    """
    match bar:
        case [str(measure), int(head)] if measure in MEASURE_NAMES and 0 <= head < MAX_HEADS:
            st.session_state.update({"portrait": measure, "head": head})


def _keep(name: str, key: str) -> None:
    st.session_state[name] = ".".join(map(str, sorted(st.session_state[key])))


def _heads(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part]


def _read(given: str) -> str:
    """Heads in order, each once. Raises: SettingsError."""
    parts = given.split(".") if given else []
    if len(given) > 200 or not all(part.isascii() and part.isdigit() for part in parts):
        raise SettingsError("Heads are numbers with dots between, such as 0.2, so the choice stays")
    return ".".join(map(str, sorted({place_in(part) for part in parts})))
