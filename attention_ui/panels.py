"""The parts of a story page: formula, arithmetic, notes, and what opens below a step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core import STEPS, Trace
from attention_core.derivation import Derivation, derive
from attention_lab.acts import at_step
from attention_lab.focus import Focus
from attention_lab.notation.notation import COLUMN_NOTATION, Notation
from attention_lab.notation.texts import NOTE
from attention_lab.page_list import Page, page_of
from attention_lab.state_file import FOCUS
from attention_viz.arithmetic import format_derivation
from attention_viz.layer_caption import columns_note
from attention_viz.markdown import escape_markdown, quote_token
from attention_viz.payload import JSON
from attention_viz.story.story_view import StoryView

from . import closer_look
from .acts import held_choices
from .page_context import PageContext
from .streamlit_private import ExpanderContainer
from .url_state import PERSISTENCE, choose_one, request_page, set_if_changed

# The parts that open below the board of a step.
CLOSER_LOOKS = {
    "terms": ":material/calculate: Every term",
    "code": ":material/code: The code",
    "numbers": ":material/table: The numbers",
    "files": ":material/download: Take it with you",
}


def note_columns(now: PageContext, page: Page) -> None:
    """If boards show tokens as columns: explain it, and compare a layer computed that way."""
    if note := columns_note(now.trace, now.notation, page.section == "story"):
        st.caption(note)


def note_notation(text: Notation, *, keeps_symbols: bool) -> None:
    """Name the source of the symbols, or say that the page keeps our own and tokens as rows."""
    if text is COLUMN_NOTATION and keeps_symbols:
        st.caption(
            "Other pages show matrices transposed, as this notation does; this page does not."
        )
    if text.has_our_letters:
        return
    if keeps_symbols:
        st.caption(f"This page keeps its own symbols; others show those of {text.title}.")
    elif text.first_head:
        st.caption(
            f"Symbols of {text.title}. Its formulas count heads from 1, boards and sentences from"
            " 0."
        )
    else:
        st.caption(f"Symbols of {text.title}.")


def note_swap(now: PageContext) -> None:
    """If boards show tokens as columns: say that only the code swaps heads and tokens."""
    if now.notation.convention == "column":
        st.caption(
            f"In this notation the heads lie {now.layout.side_by_side}, so a reshape alone splits"
            " and merges them. The code, whose matrices are not transposed, needs the swap."
        )


def draw_element_wise(now: PageContext, lines: tuple[str, ...], says: str) -> None:
    """The formula of one element with its numbers, in the notation of the lecture note only."""
    if lines and now.notation is NOTE:
        st.header("Element by element", anchor=False)
        st.markdown(says)
        for line in lines:
            st.latex(line)


def draw_arithmetic(
    trace: Trace, field: str, index: Sequence[int], title: str, more: str = ""
) -> Derivation:
    """Show the arithmetic of a cell as one line; gives it with all terms.

    title: which cell it is. more: a paragraph below.
    """
    return draw_derivation(derive(trace, field, index), title, more)


def draw_derivation(derivation: Derivation, title: str, more: str = "") -> Derivation:
    """Show arithmetic as one line, with a paragraph below; gives the arithmetic."""
    line = f"{title}: {escape_markdown(format_derivation(derivation))}"
    st.markdown(f"{line}\n\n{more}")
    return derivation


def on_demand(label: str, key: str, icon: str = "help") -> ExpanderContainer:
    """A part of a page whose content is made once a visitor opens it."""
    return st.expander(label, key=key, icon=f":material/{icon}:", on_change="rerun")


def choose_projection() -> str:
    """Draw the choice between queries, keys and values, bound to the URL; gives the field."""
    three = ("queries", "keys", "values")
    about = PERSISTENCE | {"label_visibility": "collapsed"}
    return choose_one("Which of the three", three, "queries", key="which", **about)


def open_step(field: str) -> None:
    """In a callback: open the step of a field at the cell in focus. Queries, keys and values share
    pages, so this chooses one of them.
    """
    after, path = at_step(held_choices(), field)
    set_if_changed("which", after.which)
    focus = {name: st.session_state.get(name, 0) for name in FOCUS}
    request_page(
        page_of(path).path,
        **({name: place for name, place in focus.items() if place} or {"head": 0}),
    )


def token_markdown(trace: Trace, axis: str, index: int) -> str:
    """A token of the sequence in quotation marks, as Markdown."""
    return quote_token(trace.labels(axis), index)


def pair_markdown(trace: Trace, focus: Focus) -> str:
    """The query and key in focus in their colours, as Markdown."""
    query, key = token_markdown(trace, "T", focus.query), token_markdown(trace, "S", focus.key)
    return f"**Head {focus.head}:** :blue[query of {query}] and :red[key of {key}]"


def look_closer(
    now: StoryView,
    field: str,
    arithmetic: Derivation,
    beside: Sequence[str] = (),
    board: JSON | None = None,
) -> None:
    """Offer the terms of the arithmetic, the code, tables of numbers, and downloads.

    field: of the board. beside: further fields of the step. board: of a page that has no stage. A
    part is made when it is chosen, and stays chosen on the next step. One row of buttons costs the
    browser a fifth of the time of the same number of expanders.
    """
    about = PERSISTENCE | {"format_func": CLOSER_LOOKS.__getitem__, "key": "closer"}
    chosen = st.pills("Look closer", tuple(CLOSER_LOOKS), selection_mode="multi", **about)
    fields = tuple(dict.fromkeys((field, *beside)))
    if "terms" in chosen:
        closer_look.draw_terms(now, arithmetic)
    if "code" in chosen:
        closer_look.draw_code(now.batch, sorted(fields, key=tuple(STEPS).index))
    if "numbers" in chosen:
        closer_look.draw_numbers(now, fields)
    if "files" in chosen:
        closer_look.draw_downloads(now, field, board)
