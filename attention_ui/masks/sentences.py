"""Sentences besides that of the sidebar, and the parts of the page on three uses of attention."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from attention_core import SettingsError, TextError, Trace
from attention_lab.choices import MAX_TEXT_LENGTH, user_matrices_of
from attention_lab.masks.encoder_decoder import ATTENTION_USES, AttentionUse, other_sentence
from attention_lab.scenario import Scenario
from attention_lab.user_data.matrix_names import MAX_TOKENS
from attention_viz.markdown import escape_markdown
from attention_viz.story.notes import field_notes

from ..controls import cut_text
from ..url_state import PERSISTENCE, draw_bound, restore, write_to_url


def choose_sentence(
    place: Any,
    label: str,
    default: str,
    key: str,
    scenario: Scenario,
    n_tokens: int = 0,
    *,
    instead: str = "",
    help: str | None = None,
) -> str:
    """Draw the field in a part of the page; return its text, cut to the largest allowed length.

    A text without a word is refused below the field, and `instead` is used. Without `instead` the
    field may be left empty. n_tokens: the length of the sentence, as for `other_sentence`.
    Raises: SettingsError, FileError.
    """
    about = {"help": help, "on_change": cut_text, "args": (key,), **PERSISTENCE}
    text = draw_bound(place.text_input, label, default, key=key, **about) or ""
    notes = field_notes(f"{label}: the field", text)
    if notes:
        place.caption(notes[0])
    text = text[:MAX_TEXT_LENGTH]
    if not instead and not text.strip():
        return ""
    try:
        other_sentence(scenario, text, n_tokens)
    except TextError as error:
        used = f"“{instead}”" if instead else "no sentence"
        place.error(
            escape_markdown(f"{label}: {error}. Until then {used} is used."),
            icon=":material/error:",
        )
        return instead
    return text


def note_cut(name: str, n_real: int, n_left_out: int, scenario: Scenario) -> None:
    """Note that tokens of a sentence were left out, and how to make room for them.

    The user's own X decides the length instead of the control.
    """
    if not n_left_out:
        return
    n_whole = n_real + n_left_out
    remedy = "A shorter sentence fits."
    if n_whole <= MAX_TOKENS and user_matrices_of(scenario).x is None:
        remedy = f"Sequence length {n_whole} in the sidebar makes room for all."
    st.caption(
        f"Tokens of the {name} left out: **{n_left_out} of {n_whole}**; there is room for {n_real}."
        f" {remedy}"
    )


def limit_with_note(word: str, chosen: int, last: int) -> int:
    """The chosen place, or the last one with a note if there are fewer."""
    if chosen > last:
        st.caption(f"There is no {word} {chosen} here; the last one, {last}, is shown.")
    return min(chosen, last)


CELL_KEY = "ed_cell"  # the name in the URL
FIRST_CELL = "0.0"
CELL_PATTERN = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}")


def show_cards(traces: Mapping[str, Trace]) -> None:
    """For each use: the sequences of queries, keys and values, its mask, and the hidden cells."""
    for use, place in zip(ATTENTION_USES, st.columns(len(ATTENTION_USES)), strict=True):
        trace = traces[use.key]
        n_hidden = int(trace.hidden_keys[0, 0].sum())
        n_cells = trace.sizes["T"] * trace.sizes["S"]
        with place.container(border=True, height="stretch"):
            st.markdown(
                f"**{use.name.capitalize()}**\n\n:blue[Queries] from the **{use.queries_from}**,"
                f" :red[keys] and :green[values] from the **{use.keys_from}**.\n\nMask:"
                f" {_describe_mask(use)}. Hidden cells: {n_hidden:,} of {n_cells:,}."
            )
            st.caption(use.description)


def _describe_mask(use: AttentionUse) -> str:
    padding = f"padding of the {use.keys_from}"
    return f"**causal** and {padding}" if use.causal else padding


def choose_clicked_use(array: str, index: list[int]) -> None:
    """In a callback: choose the use and the cell that were clicked."""
    st.session_state["ed_use"] = array.split()[1]
    set_cell(*index)


def choose_clicked_step(array: str, index: list[int]) -> None:
    """In a callback: choose a clicked cell of scores or probabilities. Other steps are ignored."""
    if array in ("scores", "probabilities"):
        st.session_state["head"] = index[1]
        set_cell(index[2], index[3])


def chosen_cell(n_queries: int, n_keys: int) -> tuple[int, int]:
    """The query and the key that were clicked; the last ones, with a note, if there are fewer."""
    restore(CELL_KEY, "Cell", FIRST_CELL, _cell_from_url)
    write_to_url(CELL_KEY, FIRST_CELL)
    query, key = map(int, st.session_state[CELL_KEY].split("."))
    with st.container():  # one place for both notes, so that what stands below keeps its own
        return limit_with_note("query", query, n_queries - 1), limit_with_note(
            "key", key, n_keys - 1
        )


def set_cell(query: int, key: int) -> None:
    """In a callback: choose a query and a key."""
    st.session_state[CELL_KEY] = f"{min(query, 99)}.{min(key, 99)}"


def _cell_from_url(text: str) -> str:
    """A cell as the URL holds it. Raises: SettingsError."""
    if not CELL_PATTERN.fullmatch(text):
        raise SettingsError("A cell is two whole numbers with a dot between; the cell stays")
    return text
