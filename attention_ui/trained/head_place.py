"""The head and the cell that the pages about many layers show, and what a click on one of their
pictures does.

Layer, head and cell (query-key-feature) are written to the URL here, because Streamlit does not
write what is set for a bound widget of another page.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from attention_core import STEPS
from attention_core.checks import Array
from attention_lab.focus import FOCUS_AXES, Focus
from attention_lab.page_list import page_of
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import ChangedWord
from attention_lab.trained.head_finder import strongest_pair
from attention_lab.user_data.edits import MAX_INDEX
from attention_lab.words.pieces import bare

from ..panels import open_step
from ..url_state import (
    cell_places,
    choose_place,
    numbered_places,
    request_page,
    restore_place,
    set_places,
    write_to_url,
)
from .whose_heads import CELL, FIRST_HEADS, HEAD, LANGUAGE, LAYER, MODEL, shown_model

HEAD_LABELS = {LAYER: "Layer", HEAD: "Head"}
# The axes of the arrays on whose boards a cell can be pinned.
AXES_OF_ARRAYS = {name: step.letters for name, step in STEPS.items()} | {"attention": ("T", "S")}


def restore_head(n_layers: int, n_heads: int) -> tuple[int, int]:
    """The layer and the head that URL and session name, counted from 0. A number that is too large
    becomes the last one.
    """
    counts = {LAYER: n_layers, HEAD: n_heads}
    for (name, count), default in zip(counts.items(), FIRST_HEADS[shown_model()], strict=True):
        restore_place(name, HEAD_LABELS[name], default, count)
        write_to_url(name, default)
    return st.session_state[LAYER], st.session_state[HEAD]


def choose_head(n_layers: int, n_heads: int) -> tuple[int, int]:
    """Draw the choice of a layer and a head; gives both."""
    layer, head = restore_head(n_layers, n_heads)
    for name, count, chosen in ((LAYER, n_layers, layer), (HEAD, n_heads, head)):
        st.number_input(
            HEAD_LABELS[name],
            0,
            MAX_INDEX,
            chosen,
            step=1,
            key=name,
            help=f"From 0 to {count - 1}.",
            width=120,
            persist_state="session",
        )
    return layer, head


def choose_word(place: Any, name: str, label: str, tokens: tuple[str, ...], default: int) -> int:
    """Draw the choice of a word by one of its tokens, in the container `place`; gives the position,
    which the URL holds.
    """
    restore_place(name, label, default, len(tokens))
    with place:
        position = choose_place(label, name, numbered_places([*map(bare, tokens)]))
    write_to_url(name, default)
    return position


def focus_on_head(maps: AttentionMaps, layer: int, head: int) -> Focus:
    """The pinned cell of a head; without one, its first cell."""
    places = _pinned_places(maps.sizes["T"], maps.sizes["S"])
    query, key, feature = places or (*first_cell(maps, layer, head), 0)
    return Focus(head, query, key, feature)


def first_cell(maps: AttentionMaps, layer: int, head: int) -> tuple[int, int]:
    """The query and key of a head that are shown first."""
    tokens = maps.tokens if maps.tokens == maps.memory_tokens else ()
    return _first_cell(maps.layers[layer][head], tokens)


def pinned_cell(change: ChangedWord, layer: int, head: int) -> tuple[int, int]:
    """The pinned query and key of a head; without them, its first cell before the change."""
    n_tokens = len(change.tokens)
    query, key, *_ = _pinned_places(n_tokens, n_tokens) or _first_cell(
        change.before[layer, head], change.tokens_before
    )
    return query, key


def _first_cell(shares_TS: Array, tokens: tuple[str, ...]) -> tuple[int, int]:
    """A head's strongest cell between two words. In the language model it is in the last row, after
    which the model writes.
    """
    return strongest_pair(shares_TS, tokens, last=shown_model() == LANGUAGE)


def pin_cell(focus: Focus, array: str, index: list[int]) -> None:
    """In a callback: pin a cell. What its array has no axis for stays as in the focus."""
    moved = {
        FOCUS_AXES[letter]: number
        for letter, number in zip(AXES_OF_ARRAYS.get(array, ()), index, strict=False)
        if letter in FOCUS_AXES
    }
    if "head" in moved:
        st.session_state[HEAD] = min(moved["head"], MAX_INDEX)
    names = ("query", "key", "feature")
    set_places(CELL, *(moved.get(name, getattr(focus, name)) for name in names))


def pin_change(array: str, index: list[int]) -> None:
    """In a callback: show a pinned cell on the same page, and its head if it was pinned in
    `thumbnails`.
    """
    numbers = _numbers_in(array)
    if numbers:
        st.session_state.update({LAYER: numbers[0], HEAD: index[0]})
    set_places(CELL, *index[-2:], 0)


def open_pinned(array: str, index: list[int]) -> None:
    """In a callback: open the head of a cell pinned in `thumbnails`, `best_heads` or
    `heads_matrix`.
    """
    open_head(*_numbers_in(array), *index)


def open_dot(dot: object) -> None:
    """In a callback: open the head of a clicked dot, "3-1". Anything else from the browser is
    ignored.
    """
    layer, _, head = str(dot).partition("-")
    if all(part.isascii() and part.isdigit() and len(part) < 6 for part in (layer, head)):
        open_head(int(layer), int(head))


def open_head(layer: int, head: int, query: int | None = None, key: int | None = None) -> None:
    """In a callback: open the page of one head, at a cell if one is given."""
    st.session_state.update({LAYER: min(layer, MAX_INDEX), HEAD: min(head, MAX_INDEX), CELL: ""})
    if query is not None and key is not None:
        set_places(CELL, query, key, 0)
    places = {MODEL: shown_model()} | {name: st.session_state[name] for name in (LAYER, HEAD, CELL)}
    request_page(
        page_of("one-head").path, **{name: place for name, place in places.items() if place != ""}
    )


def open_layer_in_story(weights: str, layer: int, focus: Focus) -> None:
    """In a callback: open the scores of the story with the weights of this layer, at this cell."""
    st.session_state.update({"weights": weights, "layer": layer, "scaling": "on", "mask": "none"})
    st.session_state.update(head=focus.head, query=focus.query, key=focus.key)
    open_step("scores")


def _numbers_in(array: str) -> list[int]:
    """The numbers in an array's name: "layer 3" is layer 3, "head 3 1" is layer 3, head 1."""
    return [int(part) for part in array.split()[1:] if part.isdigit()]


def _pinned_places(n_queries: int, n_keys: int) -> tuple[int, ...]:
    """Query, key and feature from session or URL; () if none is pinned."""
    expected = "A cell is query-key-feature, three whole numbers such as 9-2-0"
    return cell_places(CELL, "Cell", "", (n_queries, n_keys, MAX_INDEX + 1), expected)
