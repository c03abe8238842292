"""The parts a story page is put together from; each takes the trace and what to show of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core import STEPS, Trace
from attention_core.derivation import Derivation, derive
from attention_core.files import trace_to_npz
from attention_viz.arithmetic import arithmetic_html
from attention_viz.heatmap import heads_grid, heatmap
from attention_viz.tables import field_table, matrix_table, terms_table

from .focus import Focus
from .show import plain, show_figure, theme_mode


def says(trace: Trace, field: str, formula: str = "") -> None:
    """What the step did: one sentence, its formula (its own, or the given one), and the shape of the result."""
    step = STEPS[field]
    axes, sizes = ", ".join(trace.axes(field)), " × ".join(map(str, getattr(trace, field).shape))
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(trace.says(field))
    left.badge(f"{step.title}: ({axes}) = {sizes}", color="gray")
    right.latex(formula or trace.formula(field))


def heads_and_focus(trace: Trace, field: str, focus: Focus, rows: str, columns: str, like: str | None = None) -> None:
    """All heads as one grid, and beside it the head in focus; a click on a cell of either moves the focus there."""
    cell = focus.within(trace, field).cell(rows, columns)
    own = bool(st.session_state["own_scale"])
    left, right = st.columns([3, 2])
    with left:
        st.markdown("**All heads**")
        grid = heads_grid(trace, field, cell=cell, shared_scale=not own, like=like)
        show_figure(grid, f"{field} grid", (rows, columns))
    with right:
        st.markdown(f"**Head {focus.head}**")
        one = heatmap(trace, field, head=focus.head, cell=cell, like=like, own_scale=own)
        show_figure(one, f"{field} focus", (rows, columns))


def arithmetic(trace: Trace, field: str, index: Sequence[int], title: str) -> None:
    """The arithmetic of one cell: the title says which, the chips show every number."""
    derived(derive(trace, field, index), title)


def derived(derivation: Derivation, title: str) -> None:
    """A derivation as chips, with its terms as a table where there are several."""
    with st.container(border=True):
        st.markdown(title)
        st.html(arithmetic_html(derivation, theme_mode()))
        if len(derivation.terms) > 1:
            with st.expander("Every term as a table", key=f"terms {derivation.field}", on_change="rerun") as terms:
                if terms.open:
                    st.dataframe(terms_table(derivation), hide_index=True)


def which() -> str:
    """Draw the choice between queries, keys and values, bound to the URL, and give the chosen field."""
    chosen = st.segmented_control(
        "Which of the three", ("queries", "keys", "values"), default="queries", required=True, key="which",
        bind="query-params", persist_state="session", label_visibility="collapsed",
    )  # fmt: skip
    return str(chosen)


def token(trace: Trace, axis: str, index: int) -> str:
    """A token of the sequence as Markdown that shows it letter by letter."""
    return f"“{plain(trace.labels(axis)[index])}”"


def pair(trace: Trace, focus: Focus) -> str:
    """The chosen query and key in their colours, as Markdown."""
    query, key = token(trace, "T", focus.query), token(trace, "S", focus.key)
    return f"**Head {focus.head}:** :blue[query of {query}] and :red[key of {key}]"


def code_and_numbers(trace: Trace, fields: Sequence[str], focus: Focus) -> None:
    """The NumPy lines that computed the fields, their numbers as tables, and the downloads."""
    with st.expander("The NumPy lines", key=f"code {fields[0]}", icon=":material/code:"):
        st.code("\n".join(trace.code(field) for field in fields), language="python")
    with st.expander("The numbers", key=f"numbers {fields[0]}", icon=":material/table:", on_change="rerun") as numbers:
        if numbers.open:
            _numbers(trace, fields, focus)


def _numbers(trace: Trace, fields: Sequence[str], focus: Focus) -> None:
    field = str(st.selectbox("Field", fields, key=f"field {fields[0]}")) if len(fields) > 1 else fields[0]
    head = focus.head if STEPS[field].per_head else None
    st.dataframe(matrix_table(trace, field, head), alt=f"The numbers of {STEPS[field].title}")
    left, right = st.columns(2)
    csv = field_table(trace, field).to_csv().encode()
    left.download_button("This field as CSV", csv, f"{field}.csv", "text/csv", on_click="ignore")
    right.download_button("The whole trace as NPZ", lambda: trace_to_npz(trace), "trace.npz", on_click="ignore")
