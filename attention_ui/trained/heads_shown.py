"""Whose heads the pages of the section show: the trained model's on the user's sentence, or the
user's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import attention_of, encoded_alone, pieces_of

from ..facts import fact
from ..focus import Focus
from ..markdown import plain
from ..page_context import PageContext
from .uploaded_heads import OWN, WHOSE_KEY, UploadedHeads, trace_of_layer


@dataclass(frozen=True, eq=False)
class HeadsShown:
    """All heads with their tokens. traces: one for each layer, or none where only the
    probabilities are known.
    """

    maps: AttentionMaps
    traces: tuple[Trace, ...]
    trained: bool = False


@dataclass(frozen=True, eq=False)
class LayerShown:
    """One layer's probabilities with their labels, as pictures of a `Trace` read them. Shapes:
    (1, H, T, S).
    """

    probabilities: Array
    tokens: tuple[str, ...]
    memory_tokens: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """The lengths of the axes."""
        return dict(zip("BHTS", self.probabilities.shape, strict=True))

    def labels(self, axis: str) -> tuple[str, ...]:
        """The tokens along an axis."""
        return self.tokens if axis == "T" else self.memory_tokens


def heads_shown(now: PageContext) -> HeadsShown:
    """The heads to show; where the user has a file, draw the choice between it and the model.

    Raises: TextError, FileError when the model is missing.
    """
    own = st.session_state.get(OWN)
    if own is not None:
        names = {"yours": "your file", "model": "the trained model"}
        whose = st.segmented_control(
            "Whose heads",
            tuple(names),
            default="yours",
            required=True,
            key=WHOSE_KEY,
            format_func=names.__getitem__,
            persist_state="session",
        )
        if fact("heads_of_the_file", whose == "yours"):
            st.caption(f"Shown: {plain(own.says)}.")
            return heads_of_upload(now, own)
    say_cut(now)
    return heads_of_model(now)


def say_cut(now: PageContext) -> None:
    """Say where the model reads only the first words of the sentence. Raises: TextError,
    FileError.
    """
    pieces = pieces_of(now.scenario.text, now.scenario.n_tokens)
    if pieces.n_real == len(
        pieces.tokens
    ):  # what would be filled up is not: these pages show no [PAD]
        for note in fact("cut", pieces.notes):
            st.caption(plain(note))


def show_model_note() -> None:
    """Where the user has a file of heads, say that it is not what is shown here."""
    if fact("model_beside_a_file", st.session_state.get(OWN) is not None):
        st.caption("Shown here are heads of the trained model, not those of your file.")


def heads_of_upload(now: PageContext, own: UploadedHeads) -> HeadsShown:
    """The heads of the user's file; a layer's weights run on the user's sentence. Raises:
    AttentionError.
    """
    if isinstance(own.given, AttentionMaps):
        return HeadsShown(own.given, ())
    trace = trace_of_layer(now, own.given)
    return HeadsShown(AttentionMaps.of([trace.probabilities], trace.tokens), (trace,))


def heads_of_model(now: PageContext) -> HeadsShown:
    """The trained model's heads on the user's sentence. Raises: TextError, FileError."""
    text, n_tokens = now.scenario.text, now.scenario.n_tokens
    return HeadsShown(
        attention_of(text, n_tokens), encoded_alone(text, n_tokens).traces, trained=True
    )


def layer_shown(shown: HeadsShown, layer: int) -> LayerShown:
    """One layer for pictures that read a trace."""
    maps = shown.maps
    return LayerShown(maps.layers[layer][None], maps.tokens, maps.memory_tokens)


def context_of_layer(now: PageContext, shown: HeadsShown, layer: int, at: Focus) -> PageContext:
    """What the panels of the story need, for one layer as it runs here."""
    trace = shown.traces[layer]
    scenario = replace(
        now.scenario,
        weights="trained" if shown.trained else "your own",
        layer=layer,
        d_model=trace.sizes["D"],
        n_heads=trace.sizes["H"],
        mask="none" if shown.trained else now.scenario.mask,
        edits="",
        own="",
    )
    return PageContext(scenario, at, now.notation, trace)
