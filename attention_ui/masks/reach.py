"""The window over several layers: what is chosen, and the board of who reaches whom."""

from __future__ import annotations

import streamlit as st

from attention_lab.masks.reach import (
    FULL_EVERY,
    MOST_LAYERS,
    layer_masks,
    layers_until,
    n_reached,
    reach,
)
from attention_viz.masks.reach import reach_board

from ..board import show_board
from ..page_context import PageContext
from ..url_state import PERSISTENCE, draw_bound

LAYERS, WINDOW, MOST_WINDOW = 3, 3, 16


def show_reach(now: PageContext) -> None:
    """Draw the choices, the board and what it says."""
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    window = draw_bound(
        left.slider, "Window of tokens w", 1, MOST_WINDOW, WINDOW, key="reach_window", **PERSISTENCE
    )
    n_layers = draw_bound(
        middle.slider, "Layers L", 1, MOST_LAYERS, LAYERS, key="reach_layers", **PERSISTENCE
    )
    mixed = draw_bound(
        right.toggle,
        "Every sixth layer sees all",
        key="reach_mixed",
        help="Five layers with a window, then one without, as in Gemma 3.",
        **PERSISTENCE,
    )
    labels = now.trace.labels("T")
    masks = layer_masks(len(labels), int(window), int(n_layers), bool(mixed))
    needed = layers_until(masks)
    show_board(reach_board(needed, labels, now.focus.query, now.notation), "reach", fits=True)
    full = n_layers // FULL_EVERY * bool(mixed)
    rule = (
        f"Without a layer that sees all, that is L · (w − 1) + 1 ="
        f" {reach(int(window), int(n_layers))}, or all {len(labels)} tokens if they are fewer."
    )
    if full:
        rule = "A layer that sees all brings every earlier token at once."
    st.caption(
        "A cell says after how many layers its query can hold something of its key: what one token"
        " has read, the next layer reads on from it. Hatched: not within these layers. It is the"
        " product of the masks. The last token reaches"
        f" {n_reached(needed, -1)} tokens. {rule}"
    )
