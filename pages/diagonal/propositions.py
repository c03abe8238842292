"""Propositions: fourteen statements about the diagonal, each checked on the tokens shown."""

from dataclasses import replace

import streamlit as st

from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS
from attention_lab.diagonal.settings import trace_of_settings
from attention_ui.board import show_board
from attention_ui.diagonal import controls, statements
from attention_ui.diagonal.self_attention_mass import describe_pair
from attention_ui.page_context import page_context
from attention_ui.view import main_container
from attention_viz.diagonal.self_attention_mass import diagonal_board

now = page_context()
window = main_container()
with window:
    settings = replace(controls.token_controls(now.scenario.text), weights="weightless")
    controls.show_cut_note(settings.text, is_read=settings.tokens == "sentence")
trace = trace_of_settings(settings)
checks = statements.check_propositions(trace)
cell = controls.pinned_pair(trace)
violated = [number for number, check in checks.items() if not check.holds]

left, right = window.columns([3, 2])
with left:
    show_board(diagonal_board(trace, cell), "propositions", on_pin=controls.pin_pair, fits=True)
with right:
    st.markdown(
        "The matrix shows attention without weights ($Q = K = V = X$). A well-known argument says"
        " that **no weight exceeds both diagonal weights** of its pair of tokens: $a_{ij} \\le"
        " \\max(a_{ii}, a_{jj})$. For scores this is true. For attention weights it is **false**,"
        " because each row is divided by a sum of its own."
    )
    st.markdown(f"Propositions that these tokens violate: **{', '.join(violated) or 'none'}**.")
    st.markdown(describe_pair(trace, cell))
    controls.show_example_hint(settings)
    st.latex(
        r"s_{ij} = \tfrac{x_i \cdot x_j}{\sqrt C}, \quad a_{ij} = \frac{e^{s_{ij}}}{Z_i},"
        r" \quad\allowbreak "
        r"{Z_i = \textstyle\sum_k e^{s_{ik}}}"
    )
controls.show_examples()
st.header("Fourteen propositions", anchor=False)
st.markdown(
    "Each proposition is checked on the tokens above. A theorem holds for all tokens: no search"
    " finds a counterexample. A false proposition may hold for *these* tokens; a search finds"
    " others that violate it."
)
statements.search_controls()
for first in range(0, len(PROPOSITIONS), 2):
    for place, one in zip(st.columns(2), PROPOSITIONS[first : first + 2], strict=False):
        with place:
            statements.show_card(one, checks[one.number], trace)
st.caption(
    "With tied weights ($W_K = W_Q$) all propositions hold for the queries $x_i W$ instead of the"
    " tokens, because the scores are again a Gram matrix: dot products of vectors with each other."
    " With other weights none of them need hold."
)
