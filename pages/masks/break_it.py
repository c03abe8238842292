"""Break it: one mistake at a time, what still looks fine, and what gives it away."""

import streamlit as st

from attention_core import STEPS
from attention_lab.masks.break_it import examine_layer, mistake_by_key
from attention_lab.masks.mistake_checks import MISTAKE_CHECKS
from attention_lab.masks.mistakes import field_differs
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.masks.break_it import (
    choose_field,
    choose_mistake,
    play_round,
    show_checks,
    show_mistake,
)
from attention_ui.page_context import page_context
from attention_ui.url_state import PERSISTENCE, draw_bound
from attention_viz.masks.break_it import COMPUTED_FIELDS, MAX_MISTAKE_COLUMNS, mistake_board

now = page_context()
focus = now.focus
st.markdown(
    "The layer with one classic mistake. All arrays have the right shapes; the checks show what"
    " gives the mistake away."
)
spot = draw_bound(st.toggle, "Spot the mistake: hide which one it is", key="bi_spot", **PERSISTENCE)
if spot:
    key = play_round()
    layer = examine_layer(now.scenario, key, masked=True)
    if not fact("mistake_shows", layer.first_wrong_field is not None):
        st.info(
            "With these controls the mistake changes no number, so no check can find it. Some"
            " mistakes need several heads, several tokens, weights that read the whole embedding,"
            f" or scores divided by √{now.symbol('d_k')}."
        )
else:
    key = choose_mistake()
    layer = examine_layer(now.scenario, key)
    show_mistake(now, mistake_by_key(key), layer)
show_checks(layer)

st.header("Where it shows", anchor=False)
field = choose_field()
shown, first_wrong = field, layer.first_wrong_field
if field not in COMPUTED_FIELDS:
    shown = "output"
    if first_wrong and not spot:
        shown = first_wrong
fact("shown_field", shown)
show_board(
    mistake_board(
        layer.right, layer.faulty, shown, focus.head, focus.query, focus.key, now.notation
    ),
    "broken",
)
title = STEPS[shown].title
st.markdown(
    f"Left: the {title} of the right layer. Middle: those of this layer. Right: the difference."
)
if not fact("shown_field_differs", field_differs(layer.right, layer.faulty, shown)):
    st.markdown("Here no number is wrong.")
if first_wrong and not spot:
    title = STEPS[fact("first_wrong_field", first_wrong)].title
    st.markdown(f"The first field with wrong numbers, in the order of computation: **{title}**.")
st.caption(
    f"Where a field holds all heads, you see the part of head {focus.head}, up to"
    f" {MAX_MISTAKE_COLUMNS} features of it. Try one head, or a sentence of one word: which"
    " mistakes vanish?"
)
with st.expander("What each check does", icon=":material/help:"):
    st.markdown("\n".join(f"- **{check.name}**: {check.question}" for check in MISTAKE_CHECKS))
