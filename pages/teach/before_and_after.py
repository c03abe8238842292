"""Before and after: a test of ten questions in two forms, and the gain between them."""

import streamlit as st

from attention_ui.teach.before_and_after import (
    ask_form,
    choose_form,
    show_form_sheets,
    show_gain,
    show_result,
)

st.markdown(
    "Ten questions: four on arithmetic, three on shapes and axes, three on common misconceptions."
    " Take one form before the lesson and the other one after it. Nothing is sent anywhere."
)
form = choose_form()
result = ask_form(form)
st.header("Result", anchor=False)
st.markdown("Keep this code, or hand it in. It holds your answers and nothing else.")
show_result(result)
st.header("Gain", anchor=False)
st.markdown(
    "The normalised gain is the share of the missing answers that were learnt: right after minus"
    " right before, divided by ten minus right before."
)
show_gain()
st.header("On paper", anchor=False)
show_form_sheets()
