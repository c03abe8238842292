"""Compare two settings: the layer beside the same layer with one control changed."""

from dataclasses import asdict

import streamlit as st

from attention_lab.compare import change_notes, compare_with
from attention_ui.board import show_board
from attention_ui.heads.choices import choose_setting, format_setting, show_largest_change
from attention_ui.own_numbers import with_painting
from attention_ui.page_context import page_context
from attention_ui.url_state import PERSISTENCE, choose_one
from attention_ui.view import main_container
from attention_viz.heads.compare import MAX_OUTPUT_FEATURES, compare_board
from attention_viz.labels import format_percent
from attention_viz.markdown import escape_markdown

FIELD_OF_LABEL = {"scores": "masked_scores", "probabilities": "probabilities", "output": "output"}

now = page_context()
head, query = now.focus.head, now.focus.query
window = main_container()
left, middle, right = window.columns([3, 4, 5], vertical_alignment="bottom")
control, value = choose_setting(left, middle, now.scenario)
shown = choose_one(
    "What is shown",
    FIELD_OF_LABEL,
    "probabilities",
    place=right,
    key="compare_shows",
    **PERSISTENCE,
)
field, own = FIELD_OF_LABEL[shown], getattr(now.scenario, control.name)
two = compare_with(with_painting(now.scenario), control.name, value)

first, second = format_setting(control, own), format_setting(control, value)
if control.name == "text":
    first, second = "as it is", "the other"
names = (f"{control.label}: {first}", f"{control.label}: {second}")
n_features, column = two.before.sizes["O"], now.focus.key
if field == "output":
    column = min(now.focus.feature, n_features - 1)
board = compare_board(two, field, (head, query, column), names, now.notation)
matters = control.matters(asdict(two.scenario))
with window.container():  # one place for all, so that the board keeps its own
    show_largest_change(two, field, head, control, matters=matters)
with window:
    show_board(board, "compare", fits=True)

for note in change_notes(now.scenario, two.scenario):
    st.info(escape_markdown(note))
beside_head = two.head_beside(head)
if beside_head != head:
    st.info(
        f"Heads of the changed layer: {two.after.sizes['H']}. Head {head} is shown beside the last"
        f" of them, head {beside_head}."
    )
n_heads = two.before.sizes["H"]
moves = [two.moved_share(each) for each in range(n_heads)]
most = max(range(n_heads), key=moves.__getitem__)
st.markdown(
    f"In head {head} the change moves **{format_percent(moves[head])}** of a query's attention to"
    f" other keys, on average. It moves most in head {most}: {format_percent(moves[most])}."
)
st.caption(
    f"Everything but *{control.label}* is the same in both layers. The first two matrices have one"
    " scale of colours; their difference has its own, with 0 in the middle. A cell that is hidden"
    " in one of them has no difference of scores. The URL holds the changed control and its value."
)
if field == "output" and n_features > MAX_OUTPUT_FEATURES:
    st.caption(
        f"Features shown: {MAX_OUTPUT_FEATURES} of {n_features}, around the feature in focus."
    )
