"""One trained head: its heatmap, its lines, the arithmetic of every cell, and its weights."""

from functools import partial

import streamlit as st

from attention_lab.trained.head_finder import head_captions
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, note_columns, pair_markdown
from attention_ui.show import show_figure
from attention_ui.trained.head_place import (
    choose_head,
    focus_on_head,
    open_layer_in_story,
    pin_cell,
)
from attention_ui.trained.heads_shown import (
    STORY_WEIGHTS,
    context_of_layer,
    heads_shown,
    layer_shown,
    show_limits,
)
from attention_ui.url_state import choose_one
from attention_ui.view import main_container
from attention_viz.heads.attention_lines import attention_lines
from attention_viz.labels import format_percent
from attention_viz.markdown import quote_token
from attention_viz.trained.heads import (
    STEP_FIELDS,
    attention_alone,
    layer_heads,
    one_head,
    step_board,
)

LINES_DRAWN = {"from the query": "query", "to the key": "key", "all": "all"}
STEP_SENTENCES = {
    "scores": "A score is the dot product of a query and a key of this head.",
    "W_Q": "The head’s own columns of {w_q} make each token’s query: what it asks for.",
    "W_K": "The head’s own columns of {w_k} make each token’s key: what queries are compared with.",
    "W_V": "The head’s own columns of {w_v} make each token’s value: what it passes on.",
    "mixing": "Each token receives the average of the values, weighted by its row of the heatmap.",
    "W_O": "The head’s own rows of {w_o} turn its result into its part of the output.",
}

now = page_context()
window = main_container()
shown, choices = heads_shown(now, window)
with choices:
    layer, head = choose_head(shown.maps.sizes["L"], shown.maps.sizes["H"])
focus, seen = focus_on_head(shown.maps, layer, head), layer_shown(shown, layer)
query, key = focus.query, focus.key
pin = partial(pin_cell, focus)

share = float(seen.probabilities[0, head, query, key])
window.markdown(
    f"Each row shows what one query of this head reads. :blue[{quote_token(seen.tokens, query)}]"
    f" gives **{format_percent(share)}** of its attention to"
    f" :red[{quote_token(seen.memory_tokens, key)}]. Point at a cell for its arithmetic; click it"
    " to keep it."
)
if shown.traces:
    one = context_of_layer(now, shown, layer, focus)
    board = one_head(one.stage, head, query, key)
    with window:
        note_columns(one)
        show_board(board, "one head", on_pin=pin, fits=True)
    captions = head_captions(shown.maps)[layer]
    show_board(layer_heads(board, captions), "layer", on_pin=pin)
    cell = (0, head, query, key)
    arithmetic = draw_arithmetic(one.trace, "probabilities", cell, pair_markdown(one.trace, focus))
else:
    labels = (seen.tokens, seen.memory_tokens)
    board = attention_alone(seen.probabilities[0, head], labels, query, key)
    with window:
        show_board(board, "one head alone", on_pin=pin, fits=True)
    st.info(
        "The file holds only the attention weights of these heads. It holds no scores and no"
        " projections from which to compute them."
    )

st.header("As lines", anchor=False)
lines = choose_one(
    "Lines", LINES_DRAWN, "from the query", key="oh_lines", label_visibility="collapsed"
)
figure, left_out = attention_lines(
    seen,  # type: ignore[arg-type]  # it reads what a layer alone has: shares, sizes, labels
    (head,),
    LINES_DRAWN[lines],
    query,
    key,
)
show_figure(figure, "one head lines")
st.caption(f"A wider line is a larger share. Weaker lines left out: {left_out}.")

if shown.traces:
    st.header("Where its numbers come from", anchor=False)
    step = choose_one("Step", STEP_SENTENCES, "scores", key="oh_step", label_visibility="collapsed")
    weights = {name: one.symbol(name) for name in ("w_q", "w_k", "w_v", "w_o")}
    st.markdown(STEP_SENTENCES[step].format(**weights))
    feature = focus.within(one.trace, STEP_FIELDS[step]).feature
    steps = step_board(one.stage, step, head, query, key, feature)
    show_board(steps, f"one head {step}", on_pin=pin, fits=True)
    look_closer(one, "probabilities", arithmetic, beside=("scores",), board=board)
if story_weights := STORY_WEIGHTS.get(shown.model):
    st.button(
        "Walk through this layer step by step",
        icon=":material/directions_walk:",
        on_click=open_layer_in_story,
        args=(story_weights, layer, focus),
    )
show_limits()
