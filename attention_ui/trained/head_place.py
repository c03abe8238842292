"""Which head and which of its cells the pages about many layers show, and what a click on one of
their pictures does.

Layer, head and cell (query-key-feature) are mirrored to the address: what is set for a bound widget
of another page does not reach the address.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_core import STEPS
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import ChangedWord
from attention_lab.trained.head_finder import strongest_pair, strongest_pair_of_head
from attention_lab.user_data.edits import MAX_INDEX

from ..focus import AXIS_NAMES, Focus
from ..panels import open_step
from ..registry import page_of
from ..url_state import (
    choose_place,
    named_places,
    pin_places,
    pinned,
    request_page,
    restore_place,
    write_to_url,
)

LAYER, HEAD, CELL = "th_layer", "th_head", "th_cell"
LABELS = {LAYER: "Layer", HEAD: "Head"}
FIRST = {LAYER: 3, HEAD: 1}  # shown where the address names no other


def restore_head(n_layers: int, n_heads: int) -> tuple[int, int]:
    """The layer and the head that address and session name, counted from 0; what there is not
    becomes the last.
    """
    for name, count in ((LAYER, n_layers), (HEAD, n_heads)):
        restore_place(name, LABELS[name], FIRST[name], count)
        write_to_url(name, FIRST[name])
    return st.session_state[LAYER], st.session_state[HEAD]


def choose_head(n_layers: int, n_heads: int) -> tuple[int, int]:
    """Draw the choice of a layer and a head, and give them."""
    shown = restore_head(n_layers, n_heads)
    for name, count, at in ((LAYER, n_layers, shown[0]), (HEAD, n_heads, shown[1])):
        st.number_input(
            LABELS[name],
            0,
            MAX_INDEX,
            at,
            step=1,
            key=name,
            help=f"From 0 to {count - 1}.",
            width=150,
            persist_state="session",
        )
    return shown


def choose_token(name: str, label: str, tokens: tuple[str, ...], default: int) -> int:
    """Draw the choice of a token; its place is in the address."""
    restore_place(name, label, default, len(tokens))
    chosen = choose_place(label, name, named_places(tokens))
    write_to_url(name, default)
    return chosen


def place(maps: AttentionMaps, layer: int, head: int) -> Focus:
    """The pinned cell, within these heads; at first the strongest of the head between two words."""
    sizes = maps.sizes
    query, key, feature = _cell(sizes["T"], sizes["S"]) or (
        *strongest_pair_of_head(maps, layer, head),
        0,
    )
    return Focus(head, query, key, feature)


def pinned_cell(change: ChangedWord, layer: int, head: int) -> tuple[int, int]:
    """The pinned query and key of a head; at first its strongest two words before the change."""
    n_tokens = len(change.tokens)
    query, key, _ = _cell(n_tokens, n_tokens) or (
        *strongest_pair(change.before[layer, head], change.tokens_before),
        0,
    )
    return query, key


def pin_cell(at: Focus, array: str, index: list[int]) -> None:
    """In a callback: pin a cell of a field or of attention alone; what says nothing of a head
    or place stays.
    """
    letters = STEPS[array].letters if array in STEPS else ("T", "S") if array == "attention" else ()
    moved = {
        AXIS_NAMES[letter]: number
        for letter, number in zip(letters, index, strict=False)
        if letter in AXIS_NAMES
    }
    if "head" in moved:
        st.session_state[HEAD] = min(moved["head"], MAX_INDEX)
    pin_places(CELL, *(moved.get(name, getattr(at, name)) for name in ("query", "key", "feature")))


def pin_change(array: str, index: list[int]) -> None:
    """In a callback: show a pinned cell on the same page, and its head where it was pinned in
    `thumbnails`.
    """
    places = _places(array)
    if places:
        st.session_state.update({LAYER: places[0], HEAD: index[0]})
    pin_places(CELL, *index[-2:], 0)


def open_pinned(array: str, index: list[int]) -> None:
    """In a callback: ask for the head of a cell pinned in `thumbnails`, `best_heads` or
    `heads_matrix`.
    """
    open_head(*_places(array), *index)


def open_dot(dot: object) -> None:
    """In a callback: ask for the head of a clicked dot, "3-1"; what is no such name is passed
    over.
    """
    layer, _, head = str(dot).partition("-")
    if all(part.isascii() and part.isdigit() and len(part) < 6 for part in (layer, head)):
        open_head(int(layer), int(head))


def open_head(layer: int, head: int, query: int | None = None, key: int | None = None) -> None:
    """In a callback: ask for the page of one head, with a cell where there is one."""
    st.session_state.update({LAYER: min(layer, MAX_INDEX), HEAD: min(head, MAX_INDEX), CELL: ""})
    if query is not None and key is not None:
        pin_places(CELL, query, key, 0)
    places = {name: st.session_state[name] for name in (LAYER, HEAD, CELL)}
    request_page(
        page_of("one-head").path, **{name: place for name, place in places.items() if place != ""}
    )


def walk(layer: int, at: Focus) -> partial[None]:
    """A callback that gives the pages of the story this layer's weights, and asks for the one
    about the scores.
    """
    return partial(_walk, layer, at)


def _walk(layer: int, at: Focus) -> None:
    st.session_state.update({"weights": "trained", "layer": layer, "scaling": "on", "mask": "none"})
    st.session_state.update(head=at.head, query=at.query, key=at.key)
    open_step("scores")


def _places(array: str) -> list[int]:
    """The numbers in an array's name: "layer 3" is layer 3, "head 3 1" is head 1 of it."""
    return [int(part) for part in array.split()[1:] if part.isdigit()]


def _cell(n_queries: int, n_keys: int) -> tuple[int, ...]:
    """Query, key and feature as the session or the address has them, or nothing yet."""
    such_as = "A cell is query-key-feature, three whole numbers such as 9-2-0"
    return pinned(CELL, "Cell", "", (n_queries, n_keys, MAX_INDEX + 1), such_as)
