"""All heads of the trained model on the user's sentence, as one picture."""

import streamlit as st

from attention_lab.trained.encoded_text import D_MODEL
from attention_lab.trained.head_captions import head_captions
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.page_context import page_context
from attention_ui.trained.head_place import open_pinned, place, restore_head
from attention_ui.trained.heads_shown import heads_shown
from attention_ui.view import one_window
from attention_viz.labels import counted
from attention_viz.thumbnails import thumbnails

now = page_context()
shown = heads_shown(now)
maps, sizes = shown.maps, shown.maps.sizes
n_heads = fact("heads", sizes["L"] * sizes["H"])

window = one_window()
window.markdown(
    f"**{counted(n_heads, 'head')}, one line for each layer.** Rows are the tokens that ask,"
    " columns the tokens they read; the stronger the colour, the larger the share. Point at a cell"
    " to read it; click it to open its head."
)
layer, head = restore_head(sizes["L"], sizes["H"])
at = place(maps, layer, head)
board = thumbnails(
    maps.layers,
    (maps.tokens, maps.memory_tokens),
    (layer, head, at.query, at.key),
    f"The attention of {counted(n_heads, 'head')} in {counted(sizes['L'], 'layer')} as small"
    " matrices.",
    own_scale=bool(st.session_state.get("own_scale")),
    captions=fact("captions", head_captions(maps)),
)
with window:
    show_board(board, "trained heads", on_pin=open_pinned)

if fact("of_the_model", shown.trained):
    st.markdown(
        "**What to look for.** A strong line beside the diagonal: a head that reads the neighbour."
        " A strong first or last column: many tokens look at [CLS] or [SEP]. Clark et al. 2019"
        " (section 3.2) found it of [SEP] in BERT and suppose that heads with nothing to do look"
        " there. A single strong cell: a head that joins two particular words. *Find a head* ranks"
        " them all."
    )
    st.caption(
        f"The model is all-MiniLM-L6-v2, run on your sentence on this machine: {sizes['L']} layers"
        f" of {sizes['H']} heads, {D_MODEL} features, trained to compare sentences. The story can"
        " take its weights from here, too (in the sidebar there: Weights, trained)."
    )
