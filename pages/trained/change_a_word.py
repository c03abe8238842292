"""Two sentences that differ in one word, and which heads notice."""

import streamlit as st

from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import (
    change_word,
    is_repeated,
    replace_word,
    word_to_replace,
)
from attention_lab.trained.head_captions import head_captions
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.markdown import plain, quoted
from attention_ui.page_context import page_context
from attention_ui.trained.head_place import CELL, HEAD, LAYER, choose_head, pin_change, pinned_cell
from attention_ui.trained.heads_shown import say_cut, show_model_note
from attention_ui.url_state import bound
from attention_ui.view import one_window
from attention_viz.labels import percent
from attention_viz.thumbnails import thumbnails
from attention_viz.trained.layer_pictures import before_and_after

SENTENCE = "The animal did not cross the street because it was too tired."

now = page_context()
text = now.scenario.text
window = one_window()
left, right, famous, heads = window.columns([3, 3, 2, 5], vertical_alignment="bottom")
old = bound(left.text_input, "Replace the word", "tired", 40, key="cw_old", persist_state="session")
new = bound(right.text_input, "by", "wide", 40, key="cw_new", persist_state="session")
famous.button(
    "tired / wide",
    on_click=st.session_state.update,
    help="“it” and its animal: layer 3, head 1.",
    kwargs={
        "text": SENTENCE,
        "cw_old": "tired",
        "cw_new": "wide",
        LAYER: 3,
        HEAD: 1,
        CELL: "9-2-0",
    },
)
word, instead = word_to_replace(text, old or ""), new or "wide"
with window:
    if fact("replaced", word) != (old or "").strip():
        fact("is_repeated", is_repeated(text, word))
        st.info(
            f"The sentence does not contain “{plain(old or '')}”. Instead, the first place of its"
            f" last word “{plain(word)}” is replaced."
        )
    say_cut(now)
change = change_word(text, word, instead, now.scenario.n_tokens)
with heads.container(horizontal=True):
    layer, head = choose_head(change.before.shape[0], change.before.shape[1])
cell = pinned_cell(change, layer, head)

itself = "itself"
seen = itself if cell[0] == cell[1] else quoted(change.tokens, cell[1])
before_after = [float(array[layer, head, *cell]) for array in (change.before, change.after)]
was, now_is = fact("before_and_after", before_after)
fact("asks_and_is_read", tuple(change.tokens_before[place] for place in cell))
with window:
    st.markdown(
        f":blue[{quoted(change.tokens, cell[0])}] gave :red[{seen}] **{percent(was)}**, and gives"
        f" **{percent(now_is)}** now: *{plain(replace_word(text, word, instead))}*"
    )
    board = before_and_after(change, layer, head, *cell)
    show_board(board, "before and after", on_pin=pin_change, fits=True)
st.caption(
    f"Before: *{plain(text)}* On average a query of this head looks elsewhere with"
    f" {percent(float(change.moved[layer, head]))} of its attention. Orange is less and violet more"
    " attention than before."
)

st.header("Which heads notice", anchor=False)
moves = change.largest(5)
top = moves[0]
fact("strongest", [(move.layer, move.head, move.query, move.key) for move in moves])
reads = [itself if move.key == move.query else quoted(change.tokens, move.key) for move in moves]
st.markdown(
    f"A head’s strongest reaction: in layer {top.layer}, head {top.head},"
    f" {quoted(change.tokens, top.query)} gave {reads[0]} {percent(top.before)} and now gives"
    f" {percent(top.after)}. Click a cell to see it on both sentences."
)
with st.container(horizontal=True):
    for move, read in zip(moves, reads, strict=True):
        st.button(
            f"layer {move.layer}, head {move.head}: {percent(move.before)} → {percent(move.after)}",
            on_click=pin_change,
            args=(f"layer {move.layer}", [move.head, move.query, move.key]),
            key=f"cw {move.layer} {move.head}",
            help=f"{quoted(change.tokens, move.query)} to {read}",
        )
board = thumbnails(
    tuple(change.differences),
    (change.tokens, change.tokens),
    (layer, head, *cell),
    "How the attention of every head changes with the word, as small matrices.",
    kind="logit",
    own_scale=bool(st.session_state.get("own_scale")),
    captions=head_captions(AttentionMaps.of(change.before, change.tokens_before)),
)
show_board(board, "changes", on_pin=pin_change)
show_model_note()
