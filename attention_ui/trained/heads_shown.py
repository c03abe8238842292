"""The heads that the pages of this section show: those of the trained model on the sentence, or
those of the user's file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.focus import Focus
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import attention_of, encoded_alone, pieces_of
from attention_viz.markdown import escape_markdown

from ..page_context import PageContext
from .uploaded_heads import SOURCE_KEY, UPLOAD_KEY, UploadedHeads, trace_of_layer

SOURCES = {"yours": "your file", "model": "the trained model"}


@dataclass(frozen=True, eq=False)
class HeadsShown:
    """All heads with their tokens.

    traces: one for each layer; none where only the attention weights are known. of_model: whether
    the heads are those of the trained model.
    """

    maps: AttentionMaps
    traces: tuple[Trace, ...]
    of_model: bool = False


@dataclass(frozen=True, eq=False)
class LayerShown:
    """The attention weights of one layer with their labels, as pictures of a `Trace` read them.
    Shapes: (1, H, T, S).
    """

    probabilities: Array
    tokens: tuple[str, ...]
    memory_tokens: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """The lengths of the axes."""
        return dict(zip("BHTS", self.probabilities.shape, strict=True))

    def labels(self, axis: str) -> tuple[str, ...]:
        """The tokens along an axis, T or S."""
        return {"T": self.tokens, "S": self.memory_tokens}[axis]


def heads_shown(now: PageContext) -> HeadsShown:
    """The heads to show. If the user has loaded a file, draws the choice between it and the model.

    Raises: TextError; FileError when the model is missing.
    """
    upload = st.session_state.get(UPLOAD_KEY)
    if upload is not None:
        source = st.segmented_control(
            "Whose heads",
            tuple(SOURCES),
            default="yours",
            required=True,
            key=SOURCE_KEY,
            format_func=SOURCES.__getitem__,
            persist_state="session",
        )
        if source == "yours":
            st.caption(f"You see {escape_markdown(upload.title)}.")
            return heads_of_upload(now, upload)
    show_cut_notes(now)
    return heads_of_model(now)


def show_cut_notes(now: PageContext) -> None:
    """If the sentence has more tokens than the model reads, say how many. Raises: TextError,
    FileError.
    """
    pieces = pieces_of(now.scenario.text, now.scenario.n_tokens)
    # These pages add no [PAD], so a note about it would be wrong.
    if pieces.n_real == len(pieces.tokens):
        for note in pieces.notes:
            st.caption(escape_markdown(note))


def show_model_note() -> None:
    """If the user has loaded a file, say that the trained model is shown instead."""
    if st.session_state.get(UPLOAD_KEY) is not None:
        st.caption("These are heads of the trained model, not of your file.")


def heads_of_upload(now: PageContext, upload: UploadedHeads) -> HeadsShown:
    """The heads of the user's file. The weights of a layer run on the sentence.

    Raises: AttentionError.
    """
    if isinstance(upload.content, AttentionMaps):
        return HeadsShown(upload.content, ())
    trace = trace_of_layer(now, upload.content, upload.options)
    return HeadsShown(AttentionMaps.of([trace.probabilities], trace.tokens), (trace,))


def heads_of_model(now: PageContext) -> HeadsShown:
    """The heads of the trained model on the sentence. Raises: TextError, FileError."""
    text, n_tokens = now.scenario.text, now.scenario.n_tokens
    traces = encoded_alone(text, n_tokens).traces
    return HeadsShown(attention_of(text, n_tokens), traces, of_model=True)


def layer_shown(shown: HeadsShown, layer: int) -> LayerShown:
    """One layer for pictures that read a trace."""
    maps = shown.maps
    return LayerShown(maps.layers[layer][None], maps.tokens, maps.memory_tokens)


def context_of_layer(now: PageContext, shown: HeadsShown, layer: int, focus: Focus) -> PageContext:
    """What the panels of the story need, for one layer of these heads."""
    trace = shown.traces[layer]
    scenario = replace(
        now.scenario,
        weights="your own",
        layer=layer,
        d_model=trace.sizes["D"],
        n_heads=trace.sizes["H"],
        edits="",
        own="",
    )
    if shown.of_model:
        scenario = replace(scenario, weights="trained", mask="none")
    return replace(now, scenario=scenario, focus=focus, layer=trace, sequence=0, chosen=None)
