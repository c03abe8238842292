"""One trained head: its heatmap, its lines, the arithmetic of every cell, and its weights."""

from functools import partial

import streamlit as st

from attention_lab.trained.head_captions import head_captions
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.markdown import quoted
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, pair, say_columns
from attention_ui.show import show_figure
from attention_ui.trained.head_place import choose_head, pin_cell, place, walk
from attention_ui.trained.heads_shown import context_of_layer, heads_shown, layer_shown
from attention_ui.url_state import choose_one
from attention_ui.view import one_window
from attention_viz import story
from attention_viz.heads.arcs import arcs
from attention_viz.labels import percent
from attention_viz.trained.one_head import attention_alone, layer_heads, one_head

LINES = {"from the query": "query", "to the key": "key", "all": "all"}
FIELDS = {"W_Q": "queries", "W_K": "keys", "W_V": "values"}
SAYS = {
    "scores": "A score is the dot product of a query and a key of this head.",
    "W_Q": "The head’s own columns of {w_q} turn every token’s vector into its question.",
    "W_K": "The head’s own columns of {w_k} turn every token’s vector into what it is found by.",
    "W_V": "The head’s own columns of {w_v} turn every token’s vector into what it passes on.",
    "mixing": "Every token receives the average of the values, weighted by its row of the heatmap.",
    "W_O": "The head’s own rows of {w_o} write what it found into the vector that goes on.",
}

now = page_context()
shown = heads_shown(now)
window = one_window()
choices, says = window.columns([2, 3], vertical_alignment="bottom")
with choices.container(horizontal=True):
    layer, head = choose_head(shown.maps.sizes["L"], shown.maps.sizes["H"])
at = place(shown.maps, layer, head)
query, key, seen = at.query, at.key, layer_shown(shown, layer)

share = fact("share", float(seen.probabilities[0, head, query, key]))
fact("asks_and_is_read", (seen.tokens[query], seen.memory_tokens[key]))
says.markdown(
    f":blue[{quoted(seen.tokens, query)}] gives **{percent(share)}** of its attention to"
    f" :red[{quoted(seen.memory_tokens, key)}]. Point at a cell for its arithmetic, click it to"
    " keep it."
)
if shown.traces:
    one = context_of_layer(now, shown, layer, at)
    board = one_head(one.stage, head, query, key)
    with window:
        say_columns(one)
        show_board(board, "one head", on_pin=partial(pin_cell, at), fits=True)
    captions = head_captions(shown.maps)
    fact("caption", captions[layer][head] if captions[layer] else "")
    show_board(layer_heads(board, captions[layer]), "layer", on_pin=partial(pin_cell, at))
    arithmetic = draw_arithmetic(
        one.trace, "probabilities", (0, head, query, key), pair(one.trace, at)
    )
else:
    board = attention_alone(
        seen.probabilities[0, head], (seen.tokens, seen.memory_tokens), query, key
    )
    with window:
        show_board(board, "one head alone", on_pin=partial(pin_cell, at), fits=True)
    st.info(
        "The file holds only the attention weights of these heads. It holds no scores and no"
        " projections from which to compute them."
    )

st.header("As lines", anchor=False)
lines = choose_one("Lines", LINES, "from the query", key="oh_lines", label_visibility="collapsed")
figure, left_out = arcs(
    seen,  # type: ignore[arg-type]  # arcs reads what a layer alone has: shares, sizes, labels
    (head,),
    LINES[lines],
    query,
    key,
)
show_figure(figure, "one head lines")
st.caption(f"The width of a line is the share. Weaker lines left out: {left_out}.")

if shown.traces:
    st.header("Where its numbers come from", anchor=False)
    step = choose_one("Step", SAYS, "scores", key="oh_step", label_visibility="collapsed")
    weights = {name: one.symbol(name) for name in ("w_q", "w_k", "w_v", "w_o")}
    st.markdown(SAYS[step].format(**weights))
    inside = at.within(one.trace, "head_outputs").feature
    if step == "W_O":
        deeper = story.output(one.stage, query, min(at.feature, one.trace.sizes["O"] - 1))
    elif step in ("scores", "mixing"):
        deeper = getattr(story, step)(one.stage, (head, query, key if step == "scores" else inside))
    else:
        deeper = story.projection(
            one.stage, FIELDS[step], (head, query if step == "W_Q" else key, inside)
        )
    show_board(deeper, f"one head {step}", on_pin=partial(pin_cell, at), fits=True)
    look_closer(one, "probabilities", board, arithmetic, beside=("scores",))
if shown.trained:
    st.button(
        "Walk through this layer step by step",
        icon=":material/directions_walk:",
        on_click=walk(layer, at),
    )
