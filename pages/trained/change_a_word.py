"""Two sentences that differ in one word, and which heads notice."""

import streamlit as st

from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import (
    changed_word,
    replace_word,
    word_to_replace,
)
from attention_lab.trained.head_finder import head_captions
from attention_lab.trained.language_text import likeliest_piece
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.trained.head_place import choose_head, pin_change, pinned_cell
from attention_ui.trained.heads_shown import heads_on, heads_shown, show_limits
from attention_ui.trained.whose_heads import EXAMPLES, FIRST_WORDS, show_example
from attention_ui.url_state import draw_bound
from attention_ui.view import main_container
from attention_viz.labels import format_percent
from attention_viz.markdown import escape_markdown, quote_token
from attention_viz.thumbnails import thumbnails
from attention_viz.trained.heads import changed_word_board

now = page_context()
text = now.scenario.text
window = main_container()
before, choices = heads_shown(now, window)
usual_old, usual_new = FIRST_WORDS[before.model]
field = {"persist_state": "session", "width": 110}
old = draw_bound(choices.text_input, "Replace the word", usual_old, 40, key="cw_old", **field)
new = draw_bound(choices.text_input, "by", usual_new, 40, key="cw_new", **field)
# The language model puts a space before the first word.
n_shown = len("".join(before.maps.tokens[1:])) - 1 if before.run else None
word, replacement = word_to_replace(text, old or "", n_shown), new or usual_new
changed_text = replace_word(text, word, replacement)
after = heads_on(now, changed_text)
change = changed_word(before.maps, after.maps)
with choices:
    layer, head = choose_head(*change.before.shape[:2])
    if before.model in EXAMPLES:
        st.button(f"{usual_old} / {usual_new}", on_click=show_example)
if word != (old or "").strip():
    window.info(
        f"The sentence does not contain “{escape_markdown(old or '')}”. Its last word,"
        f" “{escape_markdown(word)}”, is replaced instead, in the first place where it stands."
    )
query, key = pinned_cell(change, layer, head)

gave, gives = (float(one[layer, head, query, key]) for one in (change.before, change.after))
with window:
    st.markdown(
        "The same head on both sentences."
        f" :blue[{quote_token(change.tokens, query)}] gave :red[{quote_token(change.tokens, key)}]"
        f" **{format_percent(gave)}**. Now it gives **{format_percent(gives)}**:"
        f" *{escape_markdown(changed_text)}*"
    )
    board = changed_word_board(change, layer, head, query, key)
    show_board(board, "before and after", on_pin=pin_change, fits=True)
if before.run and after.run:
    (was, was_share), (comes, share) = map(likeliest_piece, (before.run, after.run))
    st.markdown(
        f"After the sentence the model wrote {quote_token([was], 0)} with"
        f" **{format_percent(was_share)}**. Now it writes {quote_token([comes], 0)} with"
        f" **{format_percent(share)}**."
    )
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
show_limits()
