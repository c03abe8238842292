"""What opens below a step: all terms, the code, tables of numbers, files to download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from attention_core import STEPS, Trace
from attention_core.derivation import Derivation
from attention_lab import notation
from attention_lab.export.script import notebook, script
from attention_lab.export.step_code import numpy_lines, torch_lines
from attention_lab.export.trace_files import field_csv, trace_to_npz
from attention_lab.sentences import weights_in_force
from attention_viz.handout import handout
from attention_viz.payload import JSON
from attention_viz.scene import coloured_scene
from attention_viz.story.story_file import story_file
from attention_viz.story.story_view import StoryView
from attention_viz.tables import matrix_table, readable, terms_table

from .show import offer_file
from .url_state import session


def code_order_note(now: StoryView) -> str:
    """A note for tables that keep the order of the code while boards are transposed."""
    if now.notation.convention == "column":
        return " Names and indices are those of the code, whose matrices are not transposed."
    return ""


def draw_terms(now: StoryView, derivation: Derivation) -> None:
    """Every term of a sum, as a table."""
    if len(derivation.terms) == 1:
        st.caption("There is only one term; the line above shows it.")
        return
    st.dataframe(readable(terms_table(derivation)), hide_index=True, alt="Every term")
    st.caption("Four decimals are shown; the calculation uses all digits." + code_order_note(now))


def draw_code(trace: Trace, fields: Sequence[str]) -> None:
    """The lines of code that compute some fields."""
    notes = (
        "The last line of each step checks the numbers against those shown here, within the"
        " tolerance that it names: `shown` holds them by name.",
        "These lines were run with PyTorch 2.13 for all options and gave the same numbers.",
    )
    tabs = st.tabs(["NumPy", "PyTorch"])
    for tab, lines, note in zip(tabs, (numpy_lines, torch_lines), notes, strict=True):
        tab.code("\n\n".join(lines(trace, field) for field in fields), language="python")
        tab.caption(note)


def draw_numbers(now: StoryView, fields: Sequence[str]) -> None:
    """The numbers of a field that can be chosen, as a table and as a file."""
    trace, field = now.trace, fields[0]
    if len(fields) > 1:
        field = str(st.selectbox("Field", fields, key=f"field {fields[0]}"))
    title = STEPS[field].title
    head, part = None, ""
    if STEPS[field].per_head:
        head, part = now.focus.head, f" of head {now.focus.head}"
    if len(now.sentences) > 1:
        part += f" of sentence {now.sequence}"
    names = notation.axis_names(trace, now.notation)
    axes = [notation.axis_name(axis, names) for axis in trace.axes(field)[-2:]]
    st.caption(
        f"{title.capitalize()}{part}: axes"
        f" {' × '.join(axes)}; the CSV has all digits.{code_order_note(now)}"
    )
    st.dataframe(readable(matrix_table(trace, field, head)), alt=f"The numbers of {title}{part}")
    offer_file("This field as CSV", partial(field_csv, trace, field), f"{field}.csv")


def draw_downloads(now: StoryView, field: str, board: JSON | None) -> None:
    """Buttons for downloads; each file is made when its button is pressed."""
    trace = now.batch
    with st.container(horizontal=True):
        if board is None:
            offer_story(now)
        else:
            about = "The board with all its arithmetic in one file."
            offer_file(
                "This board as one web page",
                lambda: _board_page(now, field, board),
                f"{field}.html",
                icon="article",
                help=f"{about} It needs no server and no network.",
            )
        offer_file(
            "The layer as a notebook",
            lambda: notebook(trace, now.labels),
            "attention.ipynb",
            icon="menu_book",
            help="Recomputes every step with NumPy and checks it against these numbers.",
        )
        offer_file(
            "The layer as a script",
            lambda: script(trace, now.labels),
            "attention.py",
            icon="terminal",
            help="The same as one Python file.",
        )
        offer_file(
            "The whole trace as NPZ",
            lambda: trace_to_npz(trace, now.labels),
            "trace.npz",
            icon="folder_zip",
            help="Every intermediate as a NumPy array.",
        )


def _board_page(now: StoryView, field: str, board: JSON) -> str:
    trace, scene = now.trace, coloured_scene(board, "both")
    title, said = STEPS[field].title, trace.sentence(field, now.layout)
    return handout(scene, title, said, trace.code(field), now.sentence)


def offer_story(now: StoryView) -> None:
    """A button for the whole story as one file, which opens at the step of the page."""
    path = session().page.url_path
    # The mask step may run another mask than the other steps.
    scenario = weights_in_force(now.chosen) if now.chosen else now.scenario
    view = replace(now, scenario=scenario)
    offer_file(
        "Take the story with you",
        lambda: story_file(view, path).html,
        "attention-story.html",
        icon="article",
        help=(
            "All steps as they are now in one file: point, play, guess. It needs no server and no"
            " network: open it from a stick, a mail or a learning platform."
        ),
    )
