"""A part of the page *Layer by layer*: what attention and feed-forward add to each token."""

from __future__ import annotations

import streamlit as st

from attention_lab.trained.added_parts import parts_of_text
from attention_viz.labels import format_number, format_percent
from attention_viz.trained.layers import added_parts_board

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext
from .heads_shown import show_model_note


def show_added_parts(now: PageContext) -> None:
    """Draw both parts of every layer and token, and their means."""
    show_model_note()
    parts = fact("added_parts", parts_of_text(now.scenario.text, now.scenario.n_tokens))
    means = fact("mean_share_of_attention", parts.mean_share)
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
            "attention adds, mean": [
                format_number(float(x), 2) for x in parts.attention.mean(axis=1)
            ],
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
