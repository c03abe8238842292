"""Practice: questions on the user's own layer, to be worked out by hand."""

from functools import partial

import streamlit as st

from attention_core import STEPS
from attention_lab.fading import HELP_LEVELS
from attention_lab.practice import (
    ASKED_FIELDS,
    MAX_QUESTION_NUMBER,
    MAX_TERMS,
    askable_fields,
    choose_question,
)
from attention_ui.facts import fact
from attention_ui.markdown import plain_quotations
from attention_ui.page_context import page_context
from attention_ui.panels import note_columns
from attention_ui.practice import (
    clear_answer,
    draw_help,
    draw_operands,
    judge_answer,
    judge_term,
    next_question,
    offer_sheet,
    open_cell,
)
from attention_ui.practice_belief import ask_belief
from attention_ui.url_state import KEPT, bound, whole_number_input
from attention_viz.practice import question_text

TITLES = {STEPS[field].title: field for field in ASKED_FIELDS}

now = page_context()
trace = now.trace
left, middle, right = st.columns(3, vertical_alignment="bottom")
title = bound(
    left.selectbox,
    "Step",
    ("any", *TITLES),
    key="pr_step",
    on_change=clear_answer,
    required=True,
    **KEPT,
)
number = whole_number_input(
    middle, "Question", 1, MAX_QUESTION_NUMBER, 1, key="pr_number", on_change=clear_answer, **KEPT
)
level = bound(
    right.selectbox,
    "Help",
    HELP_LEVELS,
    key="pr_help",
    on_change=clear_answer,
    required=True,
    help="From worked to one term missing, the result missing, and your own layer without help.",
    **KEPT,
)
field, fields = TITLES.get(title or "", ""), askable_fields(trace)
if fact("too_much_for_a_hand", bool(fields and field and field not in fields)):
    st.info(
        f"Here the numbers of the {title} are no work for a hand: each takes more than {MAX_TERMS}"
        " terms, or none. So another step is asked for. Smaller sizes help; the example *Two heads"
        " by hand* has them."
    )
    field = ""
question = choose_question(trace, number, field)
asked = question_text(question, trace, now.notation)
fact("question", question)

st.header(STEPS[question.exact.field].title.capitalize(), anchor=False)
st.markdown(f"**{plain_quotations(asked.question)}**")
with st.container():
    # One place for all, so that what stands below keeps its own, and the keys' place with it.
    for name, numbers in asked.given:
        st.markdown(f"{plain_quotations(name[0].upper() + name[1:])}: `{numbers}`")

shown_help = draw_help(question, level or HELP_LEVELS[0])
left, middle, right = st.columns([2, 2, 2], vertical_alignment="bottom")
answer = bound(
    left.text_input,
    "Your answer",
    max_chars=40,
    key="pr_answer",
    placeholder="such as −0.43, 12 % or 2/3",
    **KEPT,
)
shown = bound(middle.toggle, "Show the answer", key="pr_show", **KEPT)
right.button(
    "Next question",
    icon=":material/arrow_forward:",
    on_click=next_question,
    args=(number,),
    key="pr_next",
)
if shown_help.missing is None:
    judge_answer(answer or "", question, asked.how)
else:
    judge_term(answer or "", shown_help)
if shown:
    st.markdown(f"Answer: {plain_quotations(fact('answer_shown', asked.answer))}")
    st.button(
        "See it on the board",
        icon=":material/grid_on:",
        on_click=partial(open_cell, trace, question.exact),
        key="see it",
    )
st.caption(
    "The numbers are those of your layer, rounded; answers are right to within what the rounding"
    " does. Change the sentence or the sizes, and the same question has other numbers."
)
ask_belief(trace, number, field)
offer_sheet(now, number, field)
st.header("The matrices that the numbers come from", anchor=False)
draw_operands(now, question)
note_columns(now)
