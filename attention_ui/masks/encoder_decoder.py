"""The parts of the page on the three uses of attention: a card for each, and the chosen cell.

The sequences are not that of the sidebar, so the page has its own chosen query and key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import streamlit as st

from attention_core import SettingsError, Trace
from attention_lab.masks.encoder_decoder import ATTENTION_USES, AttentionUse

from ..facts import fact
from ..url_state import restore, write_to_url
from .sentences import limit_with_note

CELL_KEY = "ed_cell"  # the name in the URL
FIRST_CELL = "0.0"
CELL_PATTERN = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}")


def show_cards(traces: Mapping[str, Trace]) -> None:
    """For each use: the sequences of queries, keys and values, its mask, and the hidden cells."""
    for use, place in zip(ATTENTION_USES, st.columns(len(ATTENTION_USES)), strict=True):
        trace = traces[use.key]
        n_hidden = fact(f"cells_hidden_in_{use.key}", int(trace.hidden_keys[0, 0].sum()))
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
    restore(CELL_KEY, "Cell", FIRST_CELL, _from_url)
    write_to_url(CELL_KEY, FIRST_CELL)
    query, key = map(int, st.session_state[CELL_KEY].split("."))
    with st.container():  # one place for both notes, so that what stands below keeps its own
        return limit_with_note("query", query, n_queries - 1), limit_with_note(
            "key", key, n_keys - 1
        )


def set_cell(query: int, key: int) -> None:
    """In a callback: choose a query and a key."""
    st.session_state[CELL_KEY] = f"{min(query, 99)}.{min(key, 99)}"


def _from_url(text: str) -> str:
    """A cell as the URL holds it. Raises: SettingsError."""
    if not CELL_PATTERN.fullmatch(text):
        raise SettingsError("A cell is two whole numbers with a dot between; the cell stays")
    return text
