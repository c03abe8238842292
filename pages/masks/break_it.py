"""Break it: one mistake at a time, what still looks fine, and what gives it away."""

import streamlit as st

from attention_lab.masks.mistake_checks import MISTAKE_CHECKS, examine_layer, mistake_by_key
from attention_lab.masks.mistakes import field_differs
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.masks.break_it import (
    choose_field,
    choose_mistake,
    describe_mistake,
    play_round,
    show_checks,
    show_code,
)
from attention_ui.page_context import page_context
from attention_ui.url_state import PERSISTENCE, draw_bound
from attention_ui.view import main_container
from attention_viz.masks.break_it import COMPUTED_FIELDS, MAX_MISTAKE_COLUMNS, mistake_board

now = page_context()
focus, mistake = now.focus, None
with main_container():
    with st.container(horizontal=True, vertical_alignment="bottom"):
        places = [st.container(width=width) for width in (380, 250)]
        spot = draw_bound(st.toggle, "Spot the mistake: hide it", key="bi_spot", **PERSISTENCE)
    if spot:
        key = play_round(places[0])
    else:
        key = choose_mistake(places[0])
        mistake = mistake_by_key(key)
    field = choose_field(places[1])
    layer = examine_layer(now.scenario, key, masked=spot)
    shown, first_wrong = field, layer.first_wrong_field
    if field not in COMPUTED_FIELDS:
        shown = "output"
        if first_wrong and not spot:
            shown = first_wrong
    if spot:
        if not fact("mistake_shows", first_wrong is not None):
            st.info(
                "With these controls the mistake changes no number, so no check can find it. Some"
                " mistakes need several heads, several tokens, weights that read the whole"
                f" embedding, or scores divided by √{now.symbol('d_k')}."
            )
    else:
        describe_mistake(now, mistake, layer)
    if not fact("shown_field_differs", field_differs(layer.right, layer.faulty, shown)):
        st.markdown("Here no number is wrong.")
    fact("shown_field", shown)
    show_board(
        mistake_board(
            layer.right, layer.faulty, shown, focus.head, focus.query, focus.key, now.notation
        ),
        "broken",
        fits=True,
    )
st.caption(
    f"Where a field holds all heads, you see the part of head {focus.head}, up to"
    f" {MAX_MISTAKE_COLUMNS} features of it. Try one head, or a sentence of one word: which"
    " mistakes vanish?"
)
if mistake:
    show_code(mistake)
show_checks(layer)
with st.expander("What each check does", icon=":material/help:"):
    st.markdown("\n".join(f"- **{check.name}**: {check.question}" for check in MISTAKE_CHECKS))
