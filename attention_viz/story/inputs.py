"""The board of the inputs: word vectors plus position codes, where the inputs are that sum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core import Trace
from attention_core.embeddings import Embedding

from ..payload import JSON, Stage
from ..scene import Panel, scene
from .windows import windowed

FOCUS_COLUMNS = 8


def is_sum_of_words(trace: Trace, embedding: Embedding) -> bool:
    """Whether the inputs are word vectors plus position codes: those of a trained layer, or of
    the user, are not.
    """
    trained = embedding.words is embedding.inputs  # made of words and positions long before
    return not trained and np.array_equal(embedding.inputs, trace.inputs[0])


def shows_sum_of_words(stage: Stage, embedding: Embedding) -> bool:
    """Whether the board shows what the inputs are made of: they are the sum, or were before
    cells were edited.
    """
    return is_sum_of_words(stage.before or stage.trace, embedding)


def inputs_board(
    stage: Stage, embedding: Embedding, query: int, feature: int, focused: bool = False
) -> JSON:
    """Word vectors plus position codes; the inputs alone where they were not made of these.

    focused: of a sum only the columns around the feature, so that three matrices have room.

    Where cells of the inputs are edited, they are no longer the sum, and the board does not say so.
    """
    if not shows_sum_of_words(stage, embedding):
        own = [Panel("inputs", 1, 2, (0, 0), "result", editable=True)]
        trained = np.array_equal(embedding.inputs, stage.trace.inputs[0])
        says = "The inputs, with the user's own numbers."
        if trained:
            says = "The inputs of the trained layer."
        return scene(stage, own, ("inputs", (0, query, feature)), says)
    if focused:
        first = feature // FOCUS_COLUMNS * FOCUS_COLUMNS
        stage = windowed(stage, "D", (first, min(first + FOCUS_COLUMNS, stage.trace.sizes["D"])))
    stage = replace(stage, extra={"words": embedding.words, "positions": embedding.positions})
    panels = [
        Panel("words", 0, 1, (0, 0)),
        Panel("positions", 0, 1, (1, 0)),
        Panel("inputs", 1, 2, (2, 0), "result", editable=True),
    ]
    says = "Word vectors plus position codes give the inputs."
    if not is_sum_of_words(stage.trace, embedding):
        says = "Word vectors plus position codes give the inputs, except in edited cells."
    return scene(stage, panels, ("inputs", (0, query, feature)), says)
