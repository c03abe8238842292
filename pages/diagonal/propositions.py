"""What is true: the statements about the diagonal, each checked on the tokens shown."""

from dataclasses import replace

import streamlit as st

from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS
from attention_lab.diagonal.settings import trace_of_settings
from attention_ui.board import show_board
from attention_ui.diagonal import controls as lab
from attention_ui.diagonal import propositions
from attention_ui.diagonal.self_attention_mass import pair_says
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.view import one_window
from attention_viz.diagonal.self_attention_mass import diagonal_board

now = page_context()
window = one_window()
with window:
    settings = replace(lab.token_controls(now.scenario.text), weights="weightless")
    lab.say_cut(settings.text if settings.tokens == "sentence" else None)
trace = trace_of_settings(settings)
checks = propositions.checked(trace)
cell = lab.pair(trace)
violated = fact("violated", [number for number, check in checks.items() if not check.holds])

left, right = window.columns([3, 2])
with left:
    show_board(diagonal_board(trace, cell), "propositions", on_pin=lab.pin, fits=True)
with right:
    st.markdown(
        "A well-known argument says that without weights ($Q = K = V = X$) **no attention exceeds"
        " the larger of the two diagonal ones** of its pair: $a_{ij} \\le \\max(a_{ii}, a_{jj})$."
        " It is true of scores. It is **false of probabilities**, because each row has a normaliser"
        " of its own."
    )
    st.markdown(
        f"These tokens violate **{', '.join(violated)}**."
        if violated
        else (
            "These tokens violate **none** of the statements below, not even the false ones: try an"
            " example."
        )
    )
    st.markdown(pair_says(trace, cell))
    if says := lab.says_of(settings):
        st.caption(says)
    st.latex(
        r"s_{ij} = \tfrac{x_i \cdot x_j}{\sqrt C}, \quad a_{ij} = \frac{e^{s_{ij}}}{Z_i},"
        r" \quad\allowbreak "
        r"{Z_i = \textstyle\sum_k e^{s_{ik}}}"
    )
lab.examples()
st.header("Fourteen statements", anchor=False)
st.markdown(
    "Each is checked on the tokens above, at once. A theorem holds for any tokens: search as long"
    " as you like. A false statement may well hold for *these* tokens; the search finds others."
)
propositions.search_controls()
for first in range(0, len(PROPOSITIONS), 2):
    for place, statement in zip(st.columns(2), PROPOSITIONS[first : first + 2], strict=False):
        with place:
            propositions.card(statement, checks[statement.number], trace)
st.caption(
    "With tied weights ($W_K = W_Q$) all of it holds for the queries $x_i W$ in the place of the"
    " tokens: the scores are a Gram matrix, too. With other weights nothing of it need hold."
)
