"""All heads of a model on the user's sentence, as one picture."""

import streamlit as st

from attention_lab.trained.encoded_text import D_MODEL
from attention_lab.trained.head_finder import head_captions
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.trained.head_place import focus_on_head, open_pinned, restore_head
from attention_ui.trained.heads_shown import heads_shown, show_limits
from attention_ui.trained.whose_heads import LANGUAGE, MINILM
from attention_ui.view import main_container
from attention_viz.sentence import with_arcs
from attention_viz.thumbnails import thumbnails

now = page_context()
window = main_container()
shown, _ = heads_shown(now, window)
maps, sizes = shown.maps, shown.maps.sizes
layer, head = restore_head(sizes["L"], sizes["H"])
focus = focus_on_head(maps, layer, head)

words = (maps.tokens, maps.memory_tokens)
window.markdown(
    "Every small matrix is one head, every line one layer. Rows are the tokens that ask (queries),"
    " columns the tokens that they read (keys). A stronger colour is a larger share. Point at a"
    " cell to read it; click it to open its head."
)
board = thumbnails(
    maps.layers,
    words,
    (layer, head, focus.query, focus.key),
    "The attention of every head as small matrices."
    f" Layers: {sizes['L']}, heads in each: {sizes['H']}.",
    own_scale=bool(st.session_state.get("own_scale")),
    captions=head_captions(maps),
)
board = with_arcs(board, words, f"layer {layer}", focus.query, "{array}, head {head}", "small")
with window:
    show_board(board, "trained heads", on_pin=open_pinned)

if shown.model == LANGUAGE:
    st.markdown(
        "**What to look for.** A strong line beside the diagonal is a head that reads the token"
        " before. A strong first column means that many tokens read the start, `<s>`. A strong"
        " cell far from both is a head that looks back. *Find a head* says which of them write"
        " again what they read. Right of the diagonal stands nothing, because a model that writes"
        " sees no later token."
    )
if shown.model == MINILM:
    st.markdown(
        "**What to look for.** A strong line beside the diagonal is a head that reads a neighbour."
        " A strong first or last column means that many tokens read [CLS] or [SEP], which the model"
        " adds before and after the sentence. Clark et al. 2019 (section 3.2) found this for [SEP]"
        " in BERT, and suppose that heads with nothing to do read it. A single strong cell is a"
        " head that joins two particular words. *Find a head* ranks all heads by what they read."
    )
    st.caption(
        "The model is all-MiniLM-L6-v2, trained to compare sentences. It runs on your sentence on"
        f" this machine. Layers: {sizes['L']}, heads in each: {sizes['H']}, features: {D_MODEL}."
        " The story can show its weights, too: choose *trained* under *Weights* in the sidebar"
        " there."
    )
show_limits()
