"""Arrays: everything the layer computes, with symbol, axes, size and formula, and each array as
a file.
"""

import streamlit as st

from attention_core import AXES, STEPS
from attention_lab import notation
from attention_lab.export.trace_files import array_to_npy
from attention_lab.notation.formulas import formula
from attention_ui.facts import fact
from attention_ui.markdown import plain
from attention_ui.page_context import page_context
from attention_ui.panels import rows_here
from attention_ui.reference.arrays import array_table
from attention_ui.registry import step_of
from attention_ui.url_state import bound
from attention_viz.tables import field_table, matrix_table

now = page_context()
trace, text = now.trace, now.notation

st.markdown(
    f"One run of the layer leaves {len(STEPS)} arrays, in order of computation: these are their"
    " symbols, axes and sizes for your sentence and controls."
)
with st.container(key="wide arrays"):
    st.markdown(array_table(trace, text))
if text.convention == "column":
    st.caption(
        "Rows and columns stand as on the boards; below and in the files tokens are rows, as in the"
        " code."
    )
if text.has_our_letters:
    st.caption("Axes: " + " · ".join(f"**{letter}** {word}" for letter, word in AXES.items()))

st.header("One array", anchor=False)
chosen = bound(
    st.selectbox, "Array", tuple(STEPS), key="ar_field", required=True, persist_state="session"
)
field = str(chosen) if chosen in STEPS else "inputs"
step = STEPS[field]
head = now.focus.head if step.per_head else None
words, form = st.columns([3, 2], vertical_alignment="center")
words.markdown(notation.says(trace, field, text))
words.badge(
    f"{step.title}: ({', '.join(notation.axes(trace, field, text))}) = "
    f"{' × '.join(map(str, notation.shape(trace, field, text)))}",
    color="gray",
)
form.latex(formula(trace, field, text))
needs = [
    name for name in step.needs.split() if name != "inputs" or field != "output" or trace.residual
]
fact("made_from", needs)
st.caption(
    (f"Made from {' and '.join(plain(STEPS[name].title) for name in needs)}. " if needs else "")
    + f"Kind: {step.kind}. Below: "
    + (
        "the whole matrix."
        if head is None
        else f"the matrix of head {head}; choose another one in the sidebar."
    )
    + rows_here(now)
)
st.dataframe(matrix_table(trace, field, head), alt=f"The numbers of {step.title}")
with st.container(horizontal=True):
    st.download_button(
        "CSV",
        lambda: field_table(trace, field).to_csv().encode(),
        f"{field}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        help="All heads, one line for each row of a matrix, with the tokens.",
    )
    st.download_button(
        "NPY",
        lambda: array_to_npy(getattr(trace, field)),
        f"{field}.npy",
        on_click="ignore",
        icon=":material/download:",
        help="The array as it is, for numpy.load.",
    )
    page = step_of(field)
    st.page_link(page.path, label=f"See how it is computed: {page.title}", icon=page.icon)
