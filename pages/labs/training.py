"""Training: what heads learn to look at, and what more of them are good for."""

import streamlit as st

from attention_lab.labs.evaluation import one_answer_loss
from attention_lab.labs.stored_runs import STORED_SETTINGS
from attention_lab.labs.tasks import N_UNSEEN
from attention_ui.board import show_board
from attention_ui.labs import training as lab
from attention_ui.labs.training_runs import head_habits, visitor_run
from attention_ui.labs.training_tables import show_backward_pass, show_comparison
from attention_ui.show import show_figure
from attention_ui.url_state import draw_bound, whole_number_input
from attention_ui.view import main_container
from attention_viz.labs.training import (
    agreement_figure,
    offset_figure,
    score_figure,
    sequence_board,
    token_labels,
)

window = main_container()
says = window.container()
with window:
    settings = lab.choose_training()
run = visitor_run(settings)
with says:
    if settings in STORED_SETTINGS.values():
        lab.show_answer()
    else:
        st.markdown(
            "Watch a small attention layer learn a task: its loss, and what its heads look at."
        )

left, right = window.columns([3, 2])
with left:
    lab.show_task(settings)
curve, button = left.container(), right.container()
with left:
    percent = draw_bound(
        st.slider,
        "Show the layer after this part of the run",
        0,
        100,
        100,
        format="%d %%",
        key="train_at",
        disabled=run.step == 0,
        help=(
            "Drag it back to see how the heads form. First the loss stays on a plateau. Then the"
            " heads become different. In the end each head answers one question."
        ),
    )
    if run.is_stored:
        st.caption("This run is stored with the app. *Train* computes it here, step by step.")
    elif run.step == 0:
        st.caption("The weights are random numbers; the layer has learnt nothing yet.")
step, projections = run.at(percent)
lab.show_run(run, step, curve, button)
habits = head_habits(settings, projections)
with right:
    if habits.agreement:
        show_figure(agreement_figure(habits.agreement), "train habits")
        st.caption("The share of a head’s attention on words that agree with the query word.")
    else:
        show_figure(offset_figure(habits.offsets, habits.masses), "train habits")
        st.caption(
            "Where on the ring a head looks, counted from the query token: −1 is the token before"
            " it."
        )
lab.show_score(run, step, projections)
lab.show_sizes(settings)
if one_answer_loss(settings) is not None:
    st.caption(
        "The dashed line is the loss if each head gives one answer: a head has one row of attention"
        " for all its value features, so it brings one of the things asked for. The line is a mean:"
        " the loss of a few sequences may lie below it."
    )

st.header("What is lost without a head", anchor=False)
left, right = st.columns([2, 3], gap="medium")
with left:
    st.markdown("Silence a head: its rows of W_O become 0. Which part of the task is lost?")
    silenced = lab.choose_silenced_head(settings.n_heads)
with right:
    show_figure(
        score_figure(
            settings.training_task.parts, lab.part_scores(settings, projections, silenced)
        ),
        "train parts",
    )

sequence = whole_number_input(
    st, "Unseen sequence", 0, N_UNSEEN - 1, 0, key="train_sequence", width=170
)
trace = lab.run_sequence(settings, projections, sequence)
show_board(sequence_board(trace, token_labels(settings.task, trace.inputs[0])), "train sequence")
st.caption(
    "Each row is the attention of one token in this sequence."
    f" {lab.SEQUENCE_HINTS[bool(habits.agreement)]}"
)
lab.offer_trained_layer(settings, projections, trace)

with st.expander(
    "Compare the models", key="train compare", icon=":material/table_chart:", on_change="rerun"
) as compared:
    if compared.open:
        show_comparison(settings.task)
with st.expander(
    "How the layer learns: every gradient",
    key="train formulas",
    icon=":material/function:",
    on_change="rerun",
) as formulas:
    if formulas.open:
        show_backward_pass(settings, trace)
st.markdown(
    "**Try:** train *neighbours* with 1 head, then with 1 wide head (no better), then with 2 heads."
    " The loss stays near the line of one head until the two heads become different. *conjunction*"
    " is another case: “my gender **and** my number” is one sum of scores, so one head is enough."
)
