"""Softmax: every row of masked scores becomes shares that sum to 1."""

import streamlit as st

from attention_lab.heads.keys_read import read_row
from attention_lab.masks.giving_nothing import given_by
from attention_lab.masks.mistakes import DROPOUT_RATE, row_sum_with_dropout
from attention_lab.notation.element_wise import weights_of_element
from attention_ui.masks.temperature import show_temperature
from attention_ui.page_context import page_context
from attention_ui.panels import (
    draw_arithmetic,
    draw_element_wise,
    look_closer,
    on_demand,
    pair_markdown,
    token_markdown,
)
from attention_ui.step import show_step
from attention_viz.labels import format_number, format_percent

now = page_context()
trace, focus, words = now.trace, now.focus, now.layout
cell = focus.cell("query", "key")
row = read_row(trace, focus.head, focus.query)
query = token_markdown(trace, "T", focus.query)
reads = [
    f"**{format_percent(share)}** from {token_markdown(trace, 'S', key)}"
    for key, share in row.strongest
]

rest = ""
if row.others:
    rest = f" Other keys it reads: {row.others}."

show_step(now)
if reads:
    st.markdown(
        f"In head {focus.head}, :blue[{query}] reads {', '.join(reads)}.{rest} The shares of its"
        f" {words.row} sum to {format_number(row.total, 6)}."
    )
else:
    st.warning(
        f"In head {focus.head}, {query} sees no key, so its {words.row} is all 0 and sums to 0."
    )

st.caption(
    f"The maximum of the {words.row} is subtracted first. This changes no share, because numerator"
    " and denominator get the same factor; it only keeps the exponential from overflowing. Masked"
    f" keys in this {words.row}: {row.hidden}. Their score is −∞, and its exponential is exactly 0."
)
draw_element_wise(
    now,
    weights_of_element(trace, *cell),
    f"The weights of :blue[{query}] in head {focus.head}: one number for each element, counted"
    " from 1 as in the note. The note’s element-wise formula lacks the softmax; it is added here.",
)
arithmetic = draw_arithmetic(trace, "probabilities", (0, *cell), pair_markdown(trace, focus))

with st.expander("What happens if every key of a query is masked?", icon=":material/help:"):
    st.markdown(
        "Then the sum of the exponentials is 0, and the fraction would be 0 / 0. This app sets such"
        f" a {words.row} to zeros, so the token receives nothing from this head. PyTorch’s"
        " scaled_dot_product_attention does the same since version 2.5 (2024; before, it gave NaN,"
        " “not a number”). In version 2.13, torch.softmax gives NaN, and so does"
        " nn.MultiheadAttention with need_weights=True, its default. A NaN spreads to everything"
        f" that is computed from it. Such {words.row}s in this layer: {trace.empty_rows.sum()}."
    )
with st.expander("Why do the weights that I plot not sum to 1?", icon=":material/help:"):
    thinned = row_sum_with_dropout(trace, focus.head, focus.query)
    st.markdown(
        "Most likely **dropout** is on. In training, nn.MultiheadAttention (PyTorch 2.13) sets each"
        " share to 0 with probability p, divides the others by 1 − p, and returns these weights."
        f" The mean of a share stays, but the {words.row} no longer sums to 1. In one draw with p ="
        f" {DROPOUT_RATE}, the {words.row} of {query} sums to **{format_number(thinned, 3)}**."
        " After eval(), dropout is off. Or every key is masked: see above."
    )
with st.expander("What if a token needs nothing from the others?", icon=":material/help:"):
    st.markdown(
        "**Softmax alone** must give: its shares sum to 1, however low all scores are. Trained"
        " heads then often give to the first token. **A sink** is one more logit of every query"
        " with no value behind it (gpt-oss; *Modern attention* in the sidebar): low scores leave"
        " the tokens little. **An output gate** multiplies the head's output by a number from 0 to"
        f" 1 that the layer computes from the token (Qwen3-Next). With the scores of {query}:"
    )
    given = [
        "| all scores lowered by | softmax alone gives | with a sink of logit 0 | gate | length of"
        " the output |",
        "|--:|--:|--:|--:|--:|",
    ]
    for one in given_by(trace, focus.head, focus.query):
        given.append(
            f"| {one.lowered:g} | {format_number(one.alone, 3)} |"
            f" {format_number(one.with_sink, 3)} | {one.gate:g} | {format_number(one.gated, 3)} |"
        )
    st.markdown("\n".join(given))
hotter = "Sharper or flatter: move the temperature"
with on_demand(hotter, "softmax temperature", "thermostat") as box:
    if box.open:
        show_temperature(now)
look_closer(now, "probabilities", arithmetic)
