"""Two sentences that differ in one word, and which heads notice."""

import streamlit as st

from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import (
    change_word,
    replace_word,
    word_to_replace,
)
from attention_lab.trained.head_finder import head_captions
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.trained.head_place import CELL, HEAD, LAYER, choose_head, pin_change, pinned_cell
from attention_ui.trained.heads_shown import show_cut_notes, show_model_note
from attention_ui.url_state import draw_bound
from attention_ui.view import main_container
from attention_viz.labels import format_percent
from attention_viz.markdown import escape_markdown, quote_token
from attention_viz.thumbnails import thumbnails
from attention_viz.trained.heads import changed_word_board

TIRED_OR_WIDE = {
    "text": "The animal did not cross the street because it was too tired.",
    "cw_old": "tired",
    "cw_new": "wide",
    LAYER: 3,
    HEAD: 1,
    CELL: "9-2-0",
}

now = page_context()
text = now.scenario.text
window = main_container()
left, right, example, heads = window.columns([3, 3, 2, 5], vertical_alignment="bottom")
old = draw_bound(
    left.text_input, "Replace the word", "tired", 40, key="cw_old", persist_state="session"
)
new = draw_bound(right.text_input, "by", "wide", 40, key="cw_new", persist_state="session")
example.button(
    "tired / wide",
    on_click=st.session_state.update,
    help="“it” and its animal: layer 3, head 1.",
    kwargs=TIRED_OR_WIDE,
)
word, replacement = word_to_replace(text, old or ""), new or "wide"
with window:
    if word != (old or "").strip():
        st.info(
            f"The sentence does not contain “{escape_markdown(old or '')}”. Its last word,"
            f" “{escape_markdown(word)}”, is replaced instead, in the first place where it stands."
        )
    show_cut_notes(now)
change = change_word(text, word, replacement, now.scenario.n_tokens)
with heads.container(horizontal=True):
    layer, head = choose_head(*change.before.shape[:2])
query, key = pinned_cell(change, layer, head)

before, after = (float(one[layer, head, query, key]) for one in (change.before, change.after))
with window:
    st.markdown(
        "The same head on both sentences."
        f" :blue[{quote_token(change.tokens, query)}] gave :red[{quote_token(change.tokens, key)}]"
        f" **{format_percent(before)}**. Now it gives **{format_percent(after)}**:"
        f" *{escape_markdown(replace_word(text, word, replacement))}*"
    )
    board = changed_word_board(change, layer, head, query, key)
    show_board(board, "before and after", on_pin=pin_change, fits=True)
st.caption(
    f"Before: *{escape_markdown(text)}*  \nOn average, a query of this head moves"
    f" {format_percent(float(change.moved[layer, head]))} of its attention to other tokens. Orange"
    " is less attention than before, violet is more."
)

st.header("Which heads notice", anchor=False)
changes = change.largest(5)
top = changes[0]
st.markdown(
    f"The share that changed most is in layer {top.layer}, head {top.head}. Before,"
    f" {quote_token(change.tokens_before, top.query)} gave"
    f" {quote_token(change.tokens_before, top.key)} {format_percent(top.before)} of its attention;"
    f" now {quote_token(change.tokens_after, top.query)} gives"
    f" {quote_token(change.tokens_after, top.key)} {format_percent(top.after)}. The buttons show"
    " the heads with the largest changes above. So does a click on a cell."
)
with st.container(horizontal=True):
    for one in changes:
        asking, read = (quote_token(change.tokens, place) for place in (one.query, one.key))
        st.button(
            f"layer {one.layer}, head {one.head}: {format_percent(one.before)} →"
            f" {format_percent(one.after)}",
            on_click=pin_change,
            args=(f"layer {one.layer}", [one.head, one.query, one.key]),
            key=f"cw {one.layer} {one.head}",
            help=f"{asking} to {read}",
        )
board = thumbnails(
    tuple(change.differences),
    (change.tokens, change.tokens),
    (layer, head, query, key),
    "How the attention of every head changes with the word, as small matrices.",
    kind="logit",
    own_scale=bool(st.session_state.get("own_scale")),
    captions=head_captions(AttentionMaps.of(change.before, change.tokens_before)),
)
show_board(board, "changes", on_pin=pin_change)
show_model_note()
