"""The user's own numbers: edited cells, matrices from a file, and the state as a file.

Edits and matrices are texts in the scenario, so that the URL carries them; what is too long for it
is in the state file.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import astuple, replace
from typing import Any

import streamlit as st

from attention_core import AttentionError, Trace
from attention_lab.choices import edits_of, user_matrices_of
from attention_lab.focus import Focus
from attention_lab.mask_kinds import MASKS
from attention_lab.notation.notation import OURS
from attention_lab.presets import SENTENCE_KEY, widget_values
from attention_lab.scenario import Scenario, trace_of
from attention_lab.state_file import State, read_state, write_state
from attention_lab.url_choices import PARAMETERS
from attention_lab.user_data.edits import EDITABLE_ARRAYS, Edit, Edits, edits_outside, outside_note
from attention_lab.user_data.matrix_names import ALL_SYMBOLS, MAX_STATE_BYTES, SYMBOLS
from attention_lab.user_data.text_store import find_text, hold_text, is_key
from attention_lab.user_data.user_matrices import (
    UserMatrices,
    layer_matrices,
    read_matrices,
    template,
    value_for_url,
)
from attention_viz.markdown import escape_markdown
from attention_viz.tables import numbered_table

from .show import keeping_error, offer_file
from .upload_limits import check_upload
from .url_state import draw_expander, restore, session, write_to_url

ERROR_KEY = "own numbers refused"  # the sentence of what was refused, for the sidebar
MAX_STATE_MB = MAX_STATE_BYTES // 2**20  # MB
# What the URL holds, or a key in its place.
URL_TEXTS = {"edits": "edits", "own": "own matrices"}


def with_own_numbers(scenario: Scenario) -> Scenario:
    """The scenario of the controls with the edits, the matrices and, if the mask is painted, the
    painting that the session and the URL hold.
    """
    for name in (*URL_TEXTS, "painted"):
        one = PARAMETERS[name]
        restore(name, one.label, one.default, one.read)
    for name in (*URL_TEXTS, "painted"):
        write_to_url(name, "")
    with suppress(AttentionError):  # the page shows the error
        keys = filter(is_key, (str(st.session_state[name]) for name in URL_TEXTS))
        session().held = [find_text(key) for key in keys]
    own = {name: st.session_state[name] for name in URL_TEXTS}
    if "painted" in MASKS[scenario.mask].asks:
        own["painted"] = st.session_state["painted"]
    return replace(scenario, **own)


def edit_cell(array: str, row: int, column: int, value: float) -> None:
    """In a callback: replace one number. array: its name on the board."""
    with keeping_error(ERROR_KEY):
        if array in EDITABLE_ARRAYS:
            edit = Edit(EDITABLE_ARRAYS[array], row, column, value)
            _set_edits(Edits.from_url(st.session_state["edits"]).add(edit))


def draw_own_numbers(scenario: Scenario, trace: Trace | None, place: Focus) -> None:
    """The part of the sidebar: what has been changed, undo and reset, the table, files.

    trace: None if no layer can be made from these numbers. place: the chosen cell, which a state
    file holds.
    """
    edits, own = edits_of(scenario), user_matrices_of(scenario)
    with draw_expander("Own numbers", "own numbers") as opened:
        if opened.open:
            if trace is not None:
                _table(scenario, trace)
            _files(scenario, trace, place)
    # These come last: they come and go, and an uploader below them would lose its file.
    _notes(edits, own, trace)
    _undo_buttons(edits, own)


def _notes(edits: Edits, own: UserMatrices, trace: Trace | None) -> None:
    error = st.session_state.pop(ERROR_KEY, "")
    if error:
        st.error(escape_markdown(error))
    for note in st.session_state.pop("own numbers notes", ()):
        st.info(escape_markdown(note))
    n_outside, outside = 0, ""
    if trace is not None:
        n_outside, outside = len(edits_outside(edits, trace)), outside_note(edits, trace)
    if n_inside := len(edits.items) - n_outside:
        st.caption(f"Edited cells: {n_inside}. What they change is outlined. {outside}")
    elif outside:
        st.caption(outside)
    if own.arrays:
        names = ", ".join(ALL_SYMBOLS[name] for name in own.arrays)
        st.caption(f"Your own {names} replace those of the controls, with their sizes.")
    kept = [name for name in URL_TEXTS if is_key(str(st.session_state[name]))]
    if kept:
        st.caption(
            f"The URL has no room for your {' and '.join(URL_TEXTS[name] for name in kept)}: they"
            " last while this page is open and its server runs. To keep them, save the *State*"
            " (under *Own numbers*)."
        )


def _undo_buttons(edits: Edits, own: UserMatrices) -> None:
    """The buttons that undo what was changed."""
    if not edits.items and not own.arrays:
        return
    with st.container(horizontal=True):
        if edits.items:
            st.button("Undo", on_click=_set_edits, args=(edits.undo(),), help="Undo the last edit.")
            st.button("Reset edits", on_click=_set_edits, args=(Edits(),), help="Undo all edits.")
        if own.arrays:
            st.button("Drop own matrices", on_click=st.session_state.update, args=({"own": ""},))


def _table(scenario: Scenario, trace: Trace) -> None:
    """A matrix as a table in which any number can be replaced."""
    # Edits of X belong to the first sentence of a batch.
    editable = set(SYMBOLS) - ({"x"} if st.session_state[SENTENCE_KEY] else set())
    matrices = {
        name: matrix for name, matrix in layer_matrices(trace).arrays.items() if name in editable
    }
    name = str(
        st.selectbox(
            "Edit a matrix", tuple(matrices), format_func=SYMBOLS.__getitem__, key="matrix to edit"
        )
    )
    key = f"table {name} {scenario.edits}"  # a new table after each edit
    st.data_editor(
        numbered_table(trace, name, matrices[name]),
        key=key,
        on_change=_table_changed,
        args=(key, name),
        height=220,
        alt=f"Own numbers of {SYMBOLS[name]}",
    )


def _table_changed(key: str, matrix: str) -> None:
    changed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    with keeping_error(ERROR_KEY):
        edits = Edits.from_url(st.session_state["edits"])
        for row, cells in changed.items():
            for column, value in cells.items():
                if value is not None:
                    edits = edits.add(Edit(matrix, int(row), int(column), value))
        _set_edits(edits)


def _files(scenario: Scenario, trace: Trace | None, place: Focus) -> None:
    st.file_uploader(
        "Load matrices or a state",
        ["npz", "csv", "tsv", "txt", "json"],
        key="own file",
        on_change=_load,
        args=(scenario,),
        max_upload_size=MAX_STATE_MB,
        help=(
            "NPZ: any of X (tokens × D), W_Q, W_K (D × heads · d_k), W_V (D × heads · d_v), W_O"
            " (heads · d_v × D), b_Q, b_K, b_V, b_O (each as wide as its matrix). CSV: one of them,"
            " named in its first line or by the file name; X also as a table downloaded here. JSON:"
            " a state saved here."
        ),
    )
    # A download is made when its button is pressed, outside the session, from what is known now.
    notation = str(st.session_state.get("notation", OURS.key))
    state = State(scenario, astuple(place), notation, int(st.session_state[SENTENCE_KEY]))
    with st.container(horizontal=True):
        if trace is not None:
            offer_file(
                "These matrices as NPZ",
                lambda: template(trace),
                "matrices.npz",
                help="A template: change it, and load it again.",
            )
        offer_file(
            "State",
            lambda: write_state(state),
            "attention-lab.json",
            help="Everything chosen, edited and loaded, in one file.",
        )


def _load(scenario: Scenario) -> None:
    """In a callback: read the chosen file. On an error everything stays as it was. scenario: the
    choices that its matrices would join.
    """
    file = st.session_state["own file"]
    if file is None:
        return
    with keeping_error(ERROR_KEY):
        check_upload(file)
        if file.name.lower().endswith(".json"):
            state = read_state(file.getvalue())
            st.session_state.update(widget_values(state.scenario) | state.places)
            st.session_state["notation"] = state.notation
            session().last = state.scenario  # so that its cell stays in focus
        else:
            own = UserMatrices.from_url(st.session_state["own"]).updated(
                read_matrices(file.getvalue(), file.name)
            )
            # Matrices that make no layer are refused before they take the room of what others load.
            tried = hold_text(own.encode())
            trace_of(replace(scenario, own=tried.key))
            in_url = value_for_url(tried.text)
            st.session_state.update({"own": in_url, "own numbers notes": own.notes})


def _set_edits(edits: Edits) -> None:
    st.session_state["edits"] = edits.url_value()
