"""Arrays: everything the layer computes, with symbol, axes, size and formula, and as files."""

import streamlit as st

from attention_core import AXES, STEPS
from attention_lab import notation
from attention_lab.export.trace_files import array_to_npy, field_csv
from attention_lab.notation.formulas import formula
from attention_lab.page_list import step_of
from attention_ui.page_context import page_context
from attention_ui.panels import code_order_note
from attention_ui.reference.glossary import array_table, made_from
from attention_ui.url_state import draw_bound
from attention_viz.markdown import escape_markdown
from attention_viz.tables import matrix_table, readable

now = page_context()
trace, text = now.trace, now.notation

st.markdown(
    f"The table lists the {len(trace.steps)} arrays that one run of the layer computes, in order,"
    " with their sizes for your sentence and controls. Below it you can read and download each"
    " array."
)
with st.container(key="wide arrays"):
    st.markdown(array_table(trace, text))
if text.convention == "column":
    st.caption(
        "In this table rows and columns are those of the boards. Below it and in the files tokens"
        " are rows, as in the code."
    )
if text.has_our_letters:
    st.caption("Axes: " + " · ".join(f"**{letter}** {word}" for letter, word in AXES.items()))

st.header("One array", anchor=False)
chosen = draw_bound(
    st.selectbox,
    "Array",
    tuple(trace.steps),
    key="ar_field",
    required=True,
    persist_state="session",
)
field = {name: name for name in trace.steps}.get(str(chosen), "inputs")
step = STEPS[field]
head, heads = None, "all, in one matrix"
if step.per_head:
    head, heads = now.focus.head, f"head {now.focus.head}; the sidebar has the others"
words, form = st.columns([3, 2], vertical_alignment="center")
words.markdown(trace.sentence(field))
words.badge(
    f"{step.title}: ({', '.join(notation.axes(trace, field, text))}) = "
    f"{' × '.join(map(str, notation.shape(trace, field, text)))}",
    color="gray",
)
form.latex(formula(trace, field, text))
needs = made_from(trace, field)
st.caption(
    "Made from:"
    f" {', '.join(escape_markdown(STEPS[name].title) for name in needs) or 'the choices'}. Kind:"
    f" {step.kind}. Heads below: {heads}.{code_order_note(now)}"
)
st.dataframe(readable(matrix_table(trace, field, head)), alt=f"The numbers of {step.title}")
with st.container(horizontal=True):
    st.download_button(
        "CSV",
        lambda: field_csv(trace, field).encode(),
        f"{field}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        help="All heads. One line for each row of a matrix, with its token.",
    )
    st.download_button(
        "NPY",
        lambda: array_to_npy(getattr(trace, field)),
        f"{field}.npy",
        on_click="ignore",
        icon=":material/download:",
        help="The whole array with full precision, for numpy.load.",
    )
    page = step_of(field)
    st.page_link(page.path, label=f"See how it is computed: {page.title}", icon=page.icon)
