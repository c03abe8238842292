"""The button that takes a layer from a file or the laboratory to the story, as own matrices."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attention_core import AttentionError, Projections
from attention_core.checks import Array
from attention_lab.choices import choices_of_options
from attention_lab.page_list import page_of
from attention_lab.user_data.layer_import import import_layer
from attention_lab.user_data.user_matrices import UserMatrices
from attention_viz.markdown import escape_markdown

from .url_state import request_page


def offer_story(
    layer: Projections,
    key: str,
    *,
    x: Array | None = None,
    controls: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    disabled: bool = False,
) -> None:
    """Draw a button that replaces the weights of the sidebar by a layer and opens the story, or the
    reason why it cannot.

    x: inputs that come along, shape (T, D); controls: other widgets of the sidebar to set; options:
    of `attend`, that the layer has.
    """
    try:
        own = import_layer(layer, x, options)
    except AttentionError as error:
        st.info(escape_markdown(str(error)), icon=":material/block:")
        return
    inputs = "Its inputs X come along. " if x is not None else ""
    sets = {"n_heads": layer.n_heads} | choices_of_options(options or {}) | dict(controls or {})
    st.button(
        "Take this layer to the story",
        icon=":material/move_item:",
        on_click=_replace_layer,
        args=(own, sets),
        disabled=disabled,
        key=key,
        help=(
            "The pages of the story, of heads and of masks then show this layer: its W_Q, W_K, W_V,"
            f" W_O and biases become own matrices. {inputs}Edits are dropped."
        ),
    )


def _replace_layer(own: UserMatrices, controls: Mapping[str, Any]) -> None:
    """In a callback: run the sidebar's layer with these matrices, and open the story. Other
    controls stay.
    """
    st.session_state.update(
        {"own": own.url_value(), "edits": "", "weights": "random"} | dict(controls)
    )
    request_page(page_of("overview").path, head=0)
