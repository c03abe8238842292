"""The choices of the page on shared keys and values: the number of key/value heads, the pinned
kind.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import SettingsError
from attention_core.checks import check_choice
from attention_core.projection_checks import divisors

from ..focus import move_focus
from ..url_state import parse_place, refuse, restore, set_if_changed, write_to_url

HALF = 0  # key/value heads of GQA, until a number is chosen
SHARING_KINDS = ("MHA", "GQA", "MQA")


def choose_kv_heads(n_groups: int) -> int:
    """Draw the choice of the number of key/value heads of GQA.

    Until one is chosen, it is half of the heads. A number that does not divide the heads becomes
    the largest smaller one that does, with a message if the URL named it.
    """
    label = "Key/value heads of GQA"
    asked = restore("groups", label, HALF, _from_url)
    choices, groups = divisors(n_groups), int(st.session_state["groups"])
    groups = groups or max(1, n_groups // 2)
    possible = max(choice for choice in choices if choice <= groups)
    if asked is not None and asked.isdigit() and possible < groups:
        refuse(label, asked, f"; {possible} is shown", possible)
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


def _keep_kv_heads() -> None:
    """In a callback: hold the chosen number."""
    st.session_state["groups"] = st.session_state["switch groups"]


def _from_url(given: str) -> int:
    """A number of key/value heads. Raises: SettingsError."""
    if given.isascii() and given.isdigit() and given.strip("0"):
        return parse_place(given)
    raise SettingsError("Key/value heads are a whole number from 1; the choice stays")


def clicked_kind() -> str:
    """The kind whose cell is pinned, from the URL or a click: MHA, GQA or MQA."""
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
