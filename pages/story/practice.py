"""Practice: questions on the user's own layer, to be worked out by hand."""

from functools import partial

import streamlit as st

from attention_core import STEPS
from attention_lab.practice import (
    ASKED_TITLES,
    HELP_LEVELS,
    MAX_QUESTION_NUMBER,
    MAX_TERMS,
    askable_fields,
    fade_example,
    practice_question,
)
from attention_ui.page_context import page_context
from attention_ui.panels import note_columns
from attention_ui.practice import (
    ask_misconception,
    clear_answer,
    draw_operands,
    next_question,
    offer_sheet,
    open_cell,
    show_verdict,
)
from attention_ui.url_state import PERSISTENCE, draw_bound, whole_number_input
from attention_viz.markdown import escape_quotations
from attention_viz.practice import (
    ABOUT_ANSWERS,
    LABELS,
    MOST_CHARACTERS,
    help_lines,
    question_text,
    verdict_on,
    verdict_on_term,
)

now = page_context()
trace = now.trace
left, middle, right = st.columns(3, vertical_alignment="bottom")
about = {"on_change": clear_answer, **PERSISTENCE}
title = draw_bound(
    left.selectbox, LABELS["pr_step"], ("any", *ASKED_TITLES), key="pr_step", required=True, **about
)
number = whole_number_input(
    middle, LABELS["pr_number"], 1, MAX_QUESTION_NUMBER, 1, key="pr_number", **about
)
level = draw_bound(
    right.selectbox,
    LABELS["pr_help"],
    HELP_LEVELS,
    key="pr_help",
    required=True,
    help="*worked* shows all of the arithmetic, *own layer* none, the others all but one number.",
    **about,
)
field, fields = ASKED_TITLES.get(title or "", ""), askable_fields(trace)
if fields and field and field not in fields:
    st.info(
        f"The {title} cannot be worked out by hand: each number needs more than {MAX_TERMS} terms,"
        " or none. The question is about another step. Smaller sizes help; the example *Two heads"
        " on paper* has them."
    )
    field = ""
question = practice_question(trace, number, field)
text = question_text(question, trace, now.notation)

st.header(STEPS[question.exact.field].title.capitalize(), anchor=False)
st.markdown(f"**{escape_quotations(text.question)}**")
with st.container():
    # One container, so that the widgets below keep their place, and with it the keyboard's focus.
    for name, numbers in text.numbers:
        st.markdown(f"{escape_quotations(name[0].upper() + name[1:])}: `{numbers}`")

example = fade_example(question, level or HELP_LEVELS[0])
if lines := help_lines(question, example):
    st.code("\n".join(lines), language=None)
left, middle, right = st.columns([2, 2, 2], vertical_alignment="bottom")
answer = draw_bound(
    left.text_input,
    LABELS["pr_answer"],
    max_chars=MOST_CHARACTERS,
    key="pr_answer",
    placeholder="such as −0.43, 12 % or 2/3",
    **PERSISTENCE,
)
shown = draw_bound(middle.toggle, LABELS["pr_show"], key="pr_show", **PERSISTENCE)
right.button(
    "Next question",
    icon=":material/arrow_forward:",
    on_click=next_question,
    args=(number,),
    key="pr_next",
)
if example.missing is None:
    show_verdict(verdict_on(answer or "", question, text.method))
else:
    show_verdict(verdict_on_term(answer or "", example))
if shown:
    st.markdown(f"Answer: {escape_quotations(text.answer)}")
    st.button(
        "See it on the board",
        icon=":material/grid_on:",
        on_click=partial(open_cell, trace, question.exact),
        key="see it",
    )
st.caption(ABOUT_ANSWERS)
ask_misconception(now, number, field)
offer_sheet(now, number, field)
st.header("The matrices of these numbers", anchor=False)
draw_operands(now, question)
note_columns(now)
