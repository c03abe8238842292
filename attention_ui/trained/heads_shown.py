"""The heads that the pages of this section show: those of the language model or of MiniLM on the
sentence, or those of the user's file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import SettingsError, Trace
from attention_core.checks import Array
from attention_lab.choices import LANGUAGE_MODEL
from attention_lab.focus import Focus
from attention_lab.sentences import tokens_of
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import encoded_alone
from attention_lab.trained.language_model import LanguageModelRun
from attention_lab.trained.language_text import LIMITS, language_ids, run_of_ids
from attention_viz.markdown import escape_markdown

from ..page_context import PageContext
from .uploaded_heads import UploadedHeads, trace_of_layer
from .whose_heads import LANGUAGE, MINILM, OWN, UPLOAD_KEY, choose_model, shown_model

# The weights of the story that a model has.
STORY_WEIGHTS = {LANGUAGE: LANGUAGE_MODEL, MINILM: "trained"}


@dataclass(frozen=True, eq=False)
class HeadsShown:
    """All heads with their tokens.

    model: whose heads they are. traces: one for each layer; none where only the attention weights
    are known. run: of the language model.
    """

    maps: AttentionMaps
    traces: tuple[Trace, ...]
    model: str
    run: LanguageModelRun | None = None


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


def heads_shown(now: PageContext, place: DeltaGenerator) -> tuple[HeadsShown, DeltaGenerator]:
    """Draw a line of choices that begins with whose heads to show, and a note on what is shown, in
    a container; gives these heads, and the line.

    Raises: TextError; FileError when the model is missing.
    """
    line = place.container(horizontal=True, vertical_alignment="bottom")
    choose_model(line)
    for note in _notes(now):
        place.caption(escape_markdown(note))
    return heads_on(now, now.scenario.text), line


def _notes(now: PageContext) -> tuple[str, ...]:
    """Which file is shown, or how many of the tokens. Raises: TextError, FileError."""
    model = shown_model()
    if model == OWN:
        return (f"You see {st.session_state[UPLOAD_KEY].title}.",)
    alone = replace(now.scenario, batch="", edits="", own="")
    tokens = tokens_of(replace(alone, weights=STORY_WEIGHTS[model]))
    # These pages add no [PAD], so a note about it would be wrong.
    return tokens.notes if tokens.n_real == len(tokens.tokens) else ()


def heads_on(now: PageContext, text: str) -> HeadsShown:
    """The heads that are shown, on a text. Raises: TextError, FileError; SettingsError for a file
    that holds the attention on its own text.
    """
    model, n_tokens = shown_model(), now.scenario.n_tokens
    if model == OWN:
        upload = st.session_state[UPLOAD_KEY]
        if text == now.scenario.text:
            return heads_of_upload(now, upload)
        if upload.layer is None:
            raise SettingsError(
                "The file holds attention weights alone, which cannot be computed for another"
                " sentence: load the weights of a layer, or choose another model"
            )
        return heads_of_upload(replace(now, scenario=replace(now.scenario, text=text)), upload)
    run = None
    if model == LANGUAGE:
        run = run_of_ids(language_ids(text, n_tokens))
    traces = run.traces if run else encoded_alone(text, n_tokens).traces
    return HeadsShown(AttentionMaps.of_traces(traces), traces, model, run)


def heads_of_upload(now: PageContext, upload: UploadedHeads) -> HeadsShown:
    """The heads of the user's file. The weights of a layer run on the sentence.

    Raises: AttentionError.
    """
    if isinstance(upload.content, AttentionMaps):
        return HeadsShown(upload.content, (), OWN)
    trace = trace_of_layer(now, upload.content, upload.options)
    return HeadsShown(AttentionMaps.of_traces([trace]), (trace,), OWN)


def show_limits() -> None:
    """Say what the language model is, if it is shown."""
    if shown_model() == LANGUAGE:
        st.caption(f"{LIMITS} One head is never the only reason for what it says.")


def layer_shown(shown: HeadsShown, layer: int) -> LayerShown:
    """One layer for pictures that read a trace."""
    maps = shown.maps
    return LayerShown(maps.layers[layer][None], maps.tokens, maps.memory_tokens)


def context_of_layer(now: PageContext, shown: HeadsShown, layer: int, focus: Focus) -> PageContext:
    """What the panels of the story need, for one layer of these heads."""
    trace = shown.traces[layer]
    scenario = replace(
        now.scenario,
        weights=STORY_WEIGHTS.get(shown.model, "your own"),
        layer=layer,
        d_model=trace.sizes["D"],
        n_heads=trace.sizes["H"],
        edits="",
        own="",
    )
    if shown.model != OWN:
        scenario = replace(scenario, mask="none")
    return replace(now, scenario=scenario, focus=focus, layer=trace, sequence=0, chosen=None)
