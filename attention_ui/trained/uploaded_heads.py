"""The heads of a file that the user loaded. They are kept in this session only."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from attention_core import Projections, Trace, attend
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.words.embeddings import embed

from ..page_context import PageContext
from ..registry import OwnControls, Page

# In the session: the heads of the file, and whether they or the model's are shown.
UPLOAD_KEY, SOURCE_KEY = "own heads", "th_whose"
# The pages that show the heads of a file.
HEAD_PAGES = ("trained-heads", "one-head", "find-a-head", "layers")
CONTROLS_OF_MAPS = OwnControls(
    "The attention of your file is shown as it is. The settings of other sections stay as they are."
)


@dataclass(frozen=True, eq=False)
class UploadedHeads:
    """What was read from a file, and its name in words: the weights of one layer, or the attention
    of all heads.
    """

    title: str
    content: Projections | AttentionMaps

    @property
    def layer(self) -> Projections | None:
        """The weights of the layer; None if the file holds attention."""
        return self.content if isinstance(self.content, Projections) else None


def trace_of_layer(now: PageContext, layer: Projections) -> Trace:
    """The user's layer on the sentence; mask, scale and residual connection are the sidebar's.

    It reads the sidebar's inputs if their width fits. Otherwise it reads the app's word vectors in
    the width of the layer.
    """
    base, scenario = now.trace, now.scenario
    inputs = base.inputs[0]
    if inputs.shape[1] != layer.d_model:
        embedding = embed(
            base.tokens, layer.d_model, kind=scenario.embedding, positions=scenario.positions
        )
        inputs = embedding.inputs
    trace = attend(
        inputs,
        layer,
        mask=base.mask,
        scale=None if scenario.scaling == "on" else base.scale,
        residual=scenario.residual and layer.d_out == layer.d_model,
    )
    return trace.labelled(base.tokens)


def controls_of(page: Page) -> OwnControls | None:
    """Which controls of the sidebar a page uses; when a file is shown, the file decides.

    A layer from a file uses the whole sidebar. Attention from a file uses none of it.
    """
    upload = st.session_state.get(UPLOAD_KEY)
    shows_model = st.session_state.get(SOURCE_KEY) == "model" or page.url_path not in HEAD_PAGES
    if upload is None or shows_model:
        return page.own_controls
    return CONTROLS_OF_MAPS if upload.layer is None else None


def drop_upload() -> None:
    """In a callback: forget what was read from the user's file."""
    st.session_state.pop(UPLOAD_KEY, None)
