"""Whose heads the pages about many layers show: those of the language model or of MiniLM on the
sentence, or those of a file of the user.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from attention_core import Projections, Trace, attend
from attention_core.checks import Array
from attention_core.errors import SettingsError

from .scenario import Scenario, trace_of
from .sentences import tokens_of
from .trained.allowed_models import STORIES
from .trained.attention_maps import AttentionMaps
from .trained.decoder import OffPart, head_of, layer_of
from .trained.encoded_text import encoded_alone
from .trained.head_finder import strongest_pair
from .trained.heads_off import run_without
from .trained.language_model import ZERO
from .trained.language_text import UNFAMILIAR, grid_of, is_unfamiliar, language_ids
from .trained.model_run import LanguageModelRun
from .weight_kinds import LANGUAGE_MODEL, TRAINED
from .words.embeddings import embed

LANGUAGE, MINILM, OWN = MODELS = ("language model", "MiniLM", "your own")
HEAD_PAGES = ("whole-model", "trained-heads", "find-a-head", "change-a-word")
# The weights of the story that a model has.
STORY_WEIGHTS = {LANGUAGE: LANGUAGE_MODEL.name, MINILM: TRAINED.name}
# What they show first: "The" that looks back at "f"; "it" and its animal.
FIRST_HEADS = {LANGUAGE: (4, 4), MINILM: (3, 1), OWN: (3, 1)}


@dataclass(frozen=True, eq=False)
class OwnHeads:
    """What was read from a file of the user, and its name in words: the weights of one layer, or
    the attention of all heads. options: what the layer does besides, as options of `attend`.
    source: which file it was, and how it was read.
    """

    title: str
    content: Projections | AttentionMaps
    options: Mapping[str, Any] = field(default_factory=dict)
    source: tuple[Any, ...] = ()

    @property
    def layer(self) -> Projections | None:
        """The weights of the layer; None if the file holds attention."""
        return self.content if isinstance(self.content, Projections) else None


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


@dataclass(frozen=True, eq=False)
class HeadsShown:
    """All heads with their tokens.

    model: whose heads they are. traces: one for each layer; none where only the attention weights
    are known. run: of the language model; writer: the name of this model. off: its parts that are
    switched off.
    """

    maps: AttentionMaps
    traces: tuple[Trace, ...]
    model: str
    run: LanguageModelRun | None = None
    off: tuple[OffPart, ...] = ()
    writer: str = STORIES

    @property
    def is_stories(self) -> bool:
        """Whether they are those of the language model that comes with the app."""
        return (self.model, self.writer) == (LANGUAGE, STORIES)

    def layer(self, number: int) -> LayerShown:
        """One layer for pictures that read a trace."""
        maps = self.maps
        return LayerShown(maps.layers[number][None], maps.tokens, maps.memory_tokens)

    def first_cell(self, layer: int, head: int) -> tuple[int, int]:
        """The query and key of a head that are shown first."""
        in_order = self.maps.tokens == self.maps.memory_tokens
        tokens = self.maps.tokens if in_order else ()
        return first_cell(self.model, self.maps.layers[layer][head], tokens)


def first_cell(model: str, shares_TS: Array, tokens: tuple[str, ...]) -> tuple[int, int]:
    """A head's strongest cell between two words. In the language model it is in the last row, after
    which the model writes.
    """
    return strongest_pair(shares_TS, tokens, last=model == LANGUAGE)


def heads_on(
    scenario: Scenario,
    model: str,
    own: OwnHeads | None,
    text: str | None = None,
    off: tuple[OffPart, ...] = (),
) -> HeadsShown:
    """The heads of a model on the sentence of a scenario, or on another text.

    own: the file that is shown as "your own". off: parts of the language model to switch off.
    Raises: AttentionError; SettingsError for a file that holds attention on its own text and is
    asked for another.
    """
    if model == OWN and own:
        return _own_heads(scenario, own, scenario.text if text is None else text)
    text, n_tokens = scenario.text if text is None else text, scenario.n_tokens
    writer, run = scenario.model, None
    if model == LANGUAGE:
        ids, (n_layers, n_heads) = language_ids(text, n_tokens, writer), grid_of(writer)
        off = tuple(
            one
            for one in off
            if layer_of(one) < n_layers and ((head := head_of(one)) is None or head[1] < n_heads)
        )
        run = run_without(ids, off, ZERO, writer)
    traces = run.traces if run else encoded_alone(text, n_tokens).traces
    maps = AttentionMaps.of_traces(traces)
    return HeadsShown(maps, traces, model, run, off if run else (), writer)


def _own_heads(scenario: Scenario, own: OwnHeads, text: str) -> HeadsShown:
    if not isinstance(own.content, AttentionMaps):
        trace = trace_of_layer(replace(scenario, text=text), own.content, own.options)
        return HeadsShown(AttentionMaps.of_traces([trace]), (trace,), OWN)
    if text != scenario.text:
        raise SettingsError(
            "The file holds attention weights alone, which cannot be computed for another sentence:"
            " load the weights of a layer, or choose another model"
        )
    return HeadsShown(own.content, (), OWN)


def trace_of_layer(
    scenario: Scenario, layer: Projections, options: Mapping[str, Any] | None = None
) -> Trace:
    """The user's layer on the sentence; mask, scale and residual connection are the scenario's.
    options: of `attend`, that the file says.

    It reads the scenario's inputs if their width fits. Otherwise it reads the app's word vectors in
    the width of the layer. Raises: AttentionError.
    """
    base = trace_of(scenario)
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
        **(options or {}),
    )
    return trace.labelled(base.tokens)


def notes_on(scenario: Scenario, model: str, own: OwnHeads | None) -> tuple[str, ...]:
    """Which file is shown, or how many of the tokens, and whether the language model knows the
    words. Raises: AttentionError.
    """
    if model == OWN:
        return (f"You see {own.title}.",) if own else ()
    alone = replace(scenario, batch="", edits="", own="", weights=STORY_WEIGHTS[model])
    tokens = tokens_of(alone)
    # These pages add no [PAD], so a note about it would be wrong.
    notes = tokens.notes if tokens.n_real == len(tokens.tokens) else ()
    is_stories = model == LANGUAGE and alone.model == STORIES
    if is_stories and is_unfamiliar(language_ids(alone.text, alone.n_tokens)):
        return (*notes, UNFAMILIAR)
    return notes
