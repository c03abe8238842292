"""The measures of all heads, layer by layer, and attention without weights on the model's own
vectors.
"""

import streamlit as st

from attention_lab.heads.head_portraits import Measure
from attention_lab.notation.formulas import in_letters
from attention_lab.notation.notation import symbol
from attention_lab.trained.added_parts import parts_of_text
from attention_lab.trained.encoded_text import attend_without_weights
from attention_lab.trained.layers import LAYER_MEASURES, measure_layers
from attention_ui.board import show_board
from attention_ui.page_context import page_context
from attention_ui.show import show_figure
from attention_ui.trained.head_place import open_dot, open_pinned, restore_head
from attention_ui.trained.heads_shown import heads_of_model, heads_shown, show_model_note
from attention_ui.url_state import draw_bound
from attention_viz.labels import format_number, format_percent
from attention_viz.markdown import escape_markdown
from attention_viz.trained.layers import (
    added_parts_board,
    heads_matrix,
    measure_by_layer,
    weightless_board,
)

MEASURE_KEYS = {measure.title: key for key, measure in LAYER_MEASURES.items()}
QUANTITIES = ("queries", "keys", "values", "inputs", "d_model", "w_q", "w_k")

now = page_context()
shown = heads_shown(now)

# The plainest measure, which needs an order of the tokens, or one that all heads have.
in_order = shown.maps.tokens == shown.maps.memory_tokens
first = LAYER_MEASURES["previous_mass" if in_order else "entropy"]
left, right = st.columns([4, 1], vertical_alignment="bottom")
title = draw_bound(
    left.selectbox,
    "Measure",
    tuple(MEASURE_KEYS),
    tuple(MEASURE_KEYS).index(first.title),
    key="ly_measure",
    required=True,
    persist_state="session",
)
key = MEASURE_KEYS[title]
measured = measure_layers(key, shown.maps, shown.traces)
measure = measured.measure
with right.popover("Formula"):
    words = f"$$\n{measure.formula}\n$$\n\nRange: {measure.range}."
    if isinstance(measure.source, Measure):
        words = in_letters(words, now.notation)
    st.markdown(words)
says = measure.description
if largest := measured.largest:
    value = {True: format_percent, False: format_number}[measure.share](measured.values[largest])
    says += " The largest here: **layer {}, head {}: {}**.".format(*largest, value)
st.markdown(says)
show_figure(measure_by_layer(measured), "by layer", on_click=open_dot)
notes = ["Every dot is a head. Click a dot to open its head."]
if measured.even is not None:
    notes.append("Dashed line: the value of a head that reads all its keys equally.")
if key == "gram_alignment":
    notes.append("This measure depends on the weights alone, not on the sentence.")
elif shown.traces:
    notes.append("Another sentence gives other numbers.")
st.caption(" ".join(notes))
show_board(
    heads_matrix(measured.values, (0, 0), measure.title, shares=measure.share),
    "measure of heads",
    on_pin=open_pinned,
)

st.header("The same vectors without weights", anchor=False)
show_model_note()
kinds = attend_without_weights(now.scenario.text, now.scenario.n_tokens)
model = heads_of_model(now)
_, head = restore_head(shown.maps.sizes["L"], model.maps.sizes["H"])
n_tokens = model.maps.sizes["T"]
symbols = {name: escape_markdown(symbol(name, now.notation).plain) for name in QUANTITIES}
equal = " = ".join(symbols[name] for name in ("queries", "keys", "values", "inputs"))
st.markdown(
    f"Without weights, {equal}. A token’s score with itself is then its squared length, divided by"
    f" the square root of {symbols['d_model']}. The board shows this attention on three kinds of"
    " the model’s own vectors. Beside them stands a trained head of layer 0, which reads the third"
    " kind."
)
board = weightless_board(kinds, model.maps.layers[0][head], f"layer 0, head {head}", (0, 0))
show_board(board, "weightless beside trained")
word, placed, normed = kinds
if n_tokens > 1:
    st.table(
        {
            "vectors": [kind.name for kind in kinds],
            "score with itself": [format_number(kind.length) for kind in kinds],
            "mean score with others": [format_number(kind.others) for kind in kinds],
            "what a token keeps": [format_percent(kind.share) for kind in kinds],
        }
    )
    st.markdown(
        "**Why.** The trained word vectors are short. Their scores lie near 0, e⁰ = 1, and every"
        f" share is close to 1/{n_tokens} = {format_percent(word.even_share)}. The model adds"
        " positions. Then LayerNorm shifts and scales every vector to mean 0 and variance 1, and"
        " applies a trained gain and offset. This makes the vectors"
        f" {normed.times_as_long(placed):.1f} times as long. The score of a token with itself grows"
        f" by the square of that, to {format_number(normed.length)}. Its scores with others also"
        " depend on the directions of the vectors: their mean is"
        f" {format_number(normed.others)}.\n\nThe difference is"
        f" {format_number(normed.length - normed.others)}. If it were the same for all tokens, each"
        f" would keep {format_percent(normed.share_if_alike)} of its attention. It differs from"
        f" token to token, and the mean is {format_percent(normed.share)}. To look anywhere else, a"
        f" token needs a trained {symbols['w_q']} and {symbols['w_k']}."
    )
else:
    st.markdown(
        "One token has no others to look at. It keeps all of its attention, whatever its vector is."
    )

st.header("Attention and feed-forward", anchor=False)
show_model_note()
parts = parts_of_text(now.scenario.text, now.scenario.n_tokens)
means = parts.mean_share
least, most = int(means.argmin()), int(means.argmax())
st.markdown(
    "Each layer adds to a token twice. First **attention** adds what it brings from all tokens."
    " Then the **feed-forward** part adds what it computes from this token alone: with two"
    " matrices, the same for all tokens, and between them the function GELU, which keeps large"
    " numbers and sets large negative ones to nearly 0. The numbers are lengths, divided by the"
    " length of the vector to which the part is added: at 1 both are equally long."
)
show_board(added_parts_board(parts, (0, 0)), "parts of layers")
st.markdown(
    f"Attention’s share of the two lengths is largest in layer {most}, with"
    f" {format_percent(float(means[most]))} on average, and smallest in layer {least}, with"
    f" {format_percent(float(means[least]))}."
)
st.table(
    {
        "layer": list(range(len(means))),
        "attention adds, mean": [format_number(float(x), 2) for x in parts.attention.mean(axis=1)],
        "feed-forward adds, mean": [
            format_number(float(x), 2) for x in parts.feed_forward.mean(axis=1)
        ],
        "attention’s share, mean": [format_percent(float(x)) for x in means],
    }
)
st.caption(
    "A long part need not be important: it may only stretch the vector, and LayerNorm takes"
    " that back. A short part may turn the vector where it matters. LayerNorm stands after each"
    " sum, so the second part is compared with the normalised vector."
)
