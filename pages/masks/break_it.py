"""Break it: one mistake at a time, what still looks fine, and what gives it away."""

import streamlit as st

from attention_core import STEPS
from attention_lab.masks.bench import examined, fault_of
from attention_lab.masks.fault_checks import CHECKS
from attention_lab.masks.faults import differs
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.masks.break_it import answers, chosen_fault, game, told
from attention_ui.page_context import page_context
from attention_ui.url_state import KEPT, bound
from attention_viz.masks.break_it import FIELDS, MOST_FEATURES, broken

now = page_context()
focus = now.focus
spot = bound(st.toggle, "Spot the bug: hide which mistake it is", key="bi_spot", **KEPT)
key = game(now) if spot else chosen_fault()
layer = examined(now.scenario, key, masked=spot)
if not spot:
    told(now, fault_of(key), layer)
elif not fact("mistake_shows", layer.differs_from is not None):
    st.info(
        "With these controls the mistake changes nothing, so nothing can find it. Some need"
        " several heads, several tokens, weights that read the whole embedding, or scores divided"
        f" by √{now.symbol('d_k')}."
    )
answers(now, layer)

st.header("Where it shows", anchor=False)
field = bound(
    st.selectbox,
    "Field",
    ("first", *FIELDS),
    key="bi_field",
    **KEPT,
    help=(
        "first: the first one, in order of computation, with wrong numbers; while the mistake is"
        " hidden, the output."
    ),
)
shown = field if field in FIELDS else "output" if spot else layer.differs_from or "output"
fact("shown_field", shown)
show_board(
    broken(layer.right, layer.faulty, shown, focus.head, focus.query, focus.key, now.notation),
    "broken",
)
title = "merged heads" if shown == "merged" else STEPS[shown].title
none = f"here no number of the {title} is wrong."
first = (
    " The first field with wrong numbers is"
    f" **{STEPS[fact('first_wrong_field', layer.differs_from)].title}**."
    if layer.differs_from and not spot
    else ""
)
st.markdown(
    f"The {title} of the right layer, of this one, and what differs: "
    + (
        "weak colours agree, strong ones do not."
        if fact("shown_field_differs", differs(layer.right, layer.faulty, shown))
        else none
    )
    + first
)
st.caption(
    f"Of wide fields head {focus.head}’s {now.turned('columns')} are drawn, at most"
    f" {MOST_FEATURES}. Try one head, or a sentence of one word: which mistakes vanish?"
)
with st.expander("What each check does", icon=":material/help:"):
    st.markdown("\n".join(now.turned(f"- **{check.name}**: {check.asks}") for check in CHECKS))
