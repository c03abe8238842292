"""A layer from a file or from the laboratory on its way to the story, where it stands as the
user's own matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attention_core import AttentionError, Projections
from attention_core.checks import Array
from attention_lab.user_data.layer_import import import_layer
from attention_lab.user_data.user_matrices import UserMatrices

from .markdown import plain
from .registry import page_of
from .url_state import request_page


def offer_story(
    layer: Projections,
    key: str,
    *,
    x: Array | None = None,
    controls: Mapping[str, Any] | None = None,
    disabled: bool = False,
) -> None:
    """A button that puts a layer in the place of the sidebar's weights and opens the story, or why
    it cannot.

    x: inputs to take along, shape (T, D); controls: what widgets of the sidebar are set to besides.
    """
    try:
        own = import_layer(layer, x)
    except AttentionError as error:
        st.info(plain(str(error)), icon=":material/block:")
        return
    inputs = "Its inputs X come along. " if x is not None else ""
    st.button(
        "Take this layer to the story",
        icon=":material/move_item:",
        on_click=replace_layer,
        args=(own, layer.n_heads, controls),
        disabled=disabled,
        key=key,
        help=(
            "As own matrices W_Q, W_K, W_V, W_O and their biases, in as many heads: the pages of"
            f" the story, of the heads and of the masks then show it. {inputs}Edits are dropped."
        ),
    )


def replace_layer(
    own: UserMatrices, n_heads: int, controls: Mapping[str, Any] | None = None
) -> None:
    """In a callback: the layer of the sidebar is this one from now on, and the story opens.
    Other controls stay.
    """
    st.session_state.update(own=own.url_value(), edits="", weights="random", n_heads=n_heads)
    st.session_state.update(controls or {})
    request_page(page_of("overview").path, head=0)
