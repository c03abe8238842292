"""The diagonal of modern attention: what rotary positions, QK-norm, sinks and others do to it."""

from dataclasses import replace

import streamlit as st

from attention_lab.diagonal.modern.statements import STATEMENTS
from attention_lab.diagonal.settings import tokens_of_settings
from attention_ui.board import show_board
from attention_ui.diagonal import controls, modern
from attention_ui.page_context import page_context
from attention_ui.view import main_container
from attention_viz.diagonal.modern import delta_board, variants_board

now = page_context()
window = main_container()
with window:
    settings = replace(controls.token_controls(now.scenario.text), weights="weightless")
    controls.show_cut_note(settings.text, is_read=settings.tokens == "sentence")
    strengths = modern.choose_strengths()
labels, x = tokens_of_settings(settings)
plain, drawn = modern.run_variants(x, strengths)
with window:
    show_board(
        variants_board(plain, labels, modern.pinned_cell(len(labels))),
        "modern",
        on_pin=modern.pin_cell,
    )
st.markdown(
    "Each matrix shows where the tokens look without weights ($Q = K = V = X$), in attention as in"
    " the seeds and in eight variants that today's models use. A row peaks on its diagonal where"
    " the token looks at no other one more than at itself; beside each name stand the rows that do,"
    " and the mean weight of a token for itself."
)
with st.container(key="wide variants"):
    st.markdown(modern.variants_table(plain, drawn, len(labels)))
st.caption(
    "The last two columns have queries and keys by two matrices that have nothing to do with each"
    " other. Then no variant prefers the diagonal: it is W_Q and W_K that let a token look"
    " elsewhere. In linear attention and the delta rule weights are no shares: they may be"
    " negative."
)
st.header("What can be proved", anchor=False)
for first in range(0, len(STATEMENTS), 2):
    for column, one in zip(st.columns(2), STATEMENTS[first : first + 2], strict=False):
        with column:
            modern.show_statement(one, x, strengths)
st.header("The delta rule, one token at a time", anchor=False)
st.markdown(
    "The state S is a matrix that answers a key with a value. A token asks with its key what S"
    " holds, erases that, and writes β times the difference to its own value. Keys have length 1;"
    " here every token is its own key, query and value."
)
step, word, rule = modern.choose_step(x, labels, strengths["delta"])
show_board(delta_board(step, rule.beta, word), "delta", fits=True)
st.caption(modern.describe_own_weights(x, rule))
