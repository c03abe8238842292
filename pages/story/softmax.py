"""Softmax: every row of masked scores becomes shares that sum to 1."""

import streamlit as st

from attention_lab.heads.keys_read import row_share, strongest_keys
from attention_lab.masks.mistakes import DROPOUT_RATE, row_share_with_dropout
from attention_lab.notation.element_wise import weights_of_element
from attention_ui.facts import fact
from attention_ui.masks.temperature import temperature
from attention_ui.page_context import page_context
from attention_ui.panels import draw_arithmetic, element_by_element, look_closer, pair, token
from attention_ui.random_weights import random_notes
from attention_ui.step import show_step
from attention_viz import story
from attention_viz.labels import counted, number, percent

now = page_context()
trace, focus = now.trace, now.focus
cell = focus.cell("query", "key")
n_hidden = fact("masked_keys", int(trace.hidden_keys[0, focus.head, focus.query]))
n_empty = fact("empty_rows", int(trace.empty_rows.sum()))
enter = "enters" if n_hidden == 1 else "enter"
query, line = token(trace, "T", focus.query), now.turned("row")
strongest = fact("reads", strongest_keys(trace, focus.head, focus.query))
reads = [f"**{percent(share)}** from {token(trace, 'S', key)}" for key, share in strongest]

row = trace.probabilities[0, focus.head, focus.query]
n_others = fact("other_keys_read", int((row > 0).sum()) - len(reads))
others = (
    f", the rest from {'one other' if n_others == 1 else f'{n_others} others'}" if n_others else ""
)

board = story.softmax(now.stage, cell)
board = show_step(now, "probabilities", board, notes=random_notes(now))
total = fact("sum_of_row", row_share(trace, focus.head, focus.query))
if reads:
    st.markdown(
        f"In head {focus.head}, :blue[{query}] reads {', '.join(reads)}{others}. The shares of its"
        f" {line} sum to {number(total, 6)}."
    )
else:
    st.warning(
        f"In head {focus.head}, {query} may see no key at all, so its {line} is 0 everywhere and"
        " sums to 0."
    )

st.caption(
    "Subtracting the maximum changes no probability: above and below the line of the fraction the"
    " same factor cancels; it only keeps the exponential from overflowing. Dividing by the sum"
    " changes no proportion."
    + (
        f" {counted(n_hidden, 'masked key')} {enter} as −∞, whose exponential is exactly 0."
        if n_hidden
        else ""
    )
)
element_by_element(
    "Element by element",
    now,
    weights_of_element(trace, *cell),
    f"The weights of :blue[{query}] in head {focus.head}: one number for each element, counted"
    " from 1 as the note does. Its element-wise formula lacks the softmax; here it stands.",
)
arithmetic = draw_arithmetic(trace, "probabilities", (0, *cell), pair(trace, focus))

with st.expander(f"What happens to a {line} in which every key is masked?", icon=":material/help:"):
    st.markdown(
        "Then there is no maximum and the sum of the exponentials is 0; the fraction would be 0 /"
        f" 0. Here such a {line} is set to zeros, so the token receives nothing from this head."
        " PyTorch’s scaled_dot_product_attention does the same since version 2.5 (2024; before, it"
        " gave “not a number”). torch.softmax, and nn.MultiheadAttention with need_weights=True,"
        " its default, give “not a number” in version 2.13, which spreads to everything computed"
        f" from it. This layer has {n_empty or 'no'} such"
        f" {line if n_empty == 1 else line + 's'}."
    )
with st.expander("Why do the weights that I plot not sum to 1?", icon=":material/help:"):
    thinned = fact("sum_with_dropout", row_share_with_dropout(trace, focus.head, focus.query))
    st.markdown(
        "Most likely **dropout** is on. While a model is trained, nn.MultiheadAttention (PyTorch"
        " 2.13) sets each share to 0 with a chance p and divides the others by 1 − p, and these are"
        " the weights that it returns. A share keeps its mean, but the sum is lost: with p ="
        f" {DROPOUT_RATE} the {line} of {query} sums to **{number(thinned, 3)}** in one draw. In"
        " eval()"
        " dropout is off. Or every key is masked: see above."
    )
with st.expander(
    "Sharper or flatter: move the temperature",
    key="softmax temperature",
    icon=":material/thermostat:",
    on_change="rerun",
) as box:
    if fact("temperature", box.open):
        temperature(now)
look_closer(now, "probabilities", board, arithmetic)
