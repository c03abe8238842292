"""One trained head: its heatmap, its lines, the arithmetic of every cell, and its weights."""

from functools import partial

import streamlit as st

from attention_lab.trained.head_captions import head_captions
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.markdown import quote_token
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, look_closer, note_columns, pair_markdown
from attention_ui.show import show_figure
from attention_ui.trained.head_place import choose_head, pin_cell, place, walk
from attention_ui.trained.heads_shown import heads_shown, layer_shown, one_head_here
from attention_ui.url_state import choose_one
from attention_ui.view import main_container
from attention_viz import story
from attention_viz.heads.attention_lines import attention_lines
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
window = main_container()
choices, says = window.columns([2, 3], vertical_alignment="bottom")
with choices.container(horizontal=True):
    layer, head = choose_head(shown.maps.sizes["L"], shown.maps.sizes["H"])
at = place(shown.maps, layer, head)
query, key, seen = at.query, at.key, layer_shown(shown, layer)

share = fact("share", float(seen.probabilities[0, head, query, key]))
fact("asks_and_is_read", (seen.tokens[query], seen.memory_tokens[key]))
says.markdown(
    f":blue[{quote_token(seen.tokens, query)}] gives **{percent(share)}** of its attention to"
    f" :red[{quote_token(seen.memory_tokens, key)}]. Point at a cell for its arithmetic, click it"
    " to keep it."
)
if shown.traces:
    one = one_head_here(now, shown, layer, at)
    board = one_head(one.stage, head, query, key)
    with window:
        note_columns(one)
        show_board(board, "one head", on_pin=partial(pin_cell, at), fits=True)
    captions = head_captions(shown.maps)
    fact("caption", captions[layer][head] if captions[layer] else "")
    show_board(layer_heads(board, captions[layer]), "layer", on_pin=partial(pin_cell, at))
    arithmetic = draw_arithmetic(
        one.trace, "probabilities", (0, head, query, key), pair_markdown(one.trace, at)
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
figure, left_out = attention_lines(
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
        deeper = story.output_board(one.stage, query, min(at.feature, one.trace.sizes["O"] - 1))
    elif step == "scores":
        deeper = story.scores_board(one.stage, (head, query, key))
    elif step == "mixing":
        deeper = story.mixing_board(one.stage, (head, query, inside))
    else:
        deeper = story.projection_board(
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
