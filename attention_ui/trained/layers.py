"""What attention and the feed-forward part add to each token, layer by layer."""

from __future__ import annotations

import streamlit as st

from attention_lab.trained.added_parts import parts_of_text
from attention_viz.labels import number, percent
from attention_viz.trained.layer_pictures import added_parts_board

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
        "Each layer adds to a token twice: first what **attention** brings from all tokens,"
        " then what the **feed-forward** part makes of this token alone, by two matrices and GELU,"
        " the same for all tokens. Below is how long each part is beside the vector that it is"
        " added to: 1 means as long. Attention’s share of the two is"
        f" {percent(float(means[most]))} on average in layer {most}, where it is largest, and"
        f" {percent(float(means[least]))} in layer {least}, where it is smallest."
    )
    show_board(added_parts_board(parts, (0, 0)), "parts of layers")
    st.table(
        {
            "layer": list(range(len(means))),
            "attention adds, mean": [number(float(x), 2) for x in parts.attention.mean(axis=1)],
            "feed-forward adds, mean": [
                number(float(x), 2) for x in parts.feed_forward.mean(axis=1)
            ],
            "attention’s share, mean": [percent(float(x)) for x in means],
        }
    )
    st.caption(
        "A long part need not be an important one: a part may turn a vector where it matters, or"
        " stretch it where LayerNorm takes it back. LayerNorm stands after each sum, so the second"
        " part is measured beside the normalised vector."
    )
